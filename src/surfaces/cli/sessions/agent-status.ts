import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'

type Statuses = ToolResult<'agent_status'>

/** Of one agent, session or background task, as the tool reports it. */
export type AgentStatus = Exclude<Statuses, { agents: unknown }>

/** How this one stands; the tool lists all of them only where none is named. */
export const readStatus = async (
  client: Client,
  agent: string,
  options?: { signal?: AbortSignal },
): Promise<AgentStatus> =>
  (await client.call('agent_status', { agent_id: agent }, options)) as AgentStatus
