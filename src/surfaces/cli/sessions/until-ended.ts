import { ExomonadError } from '../../../domain/errors.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import { pause } from '../pause.ts'
import { readStatus, type AgentStatus } from './agent-status.ts'

/** Milliseconds between looks: a person waits, nothing else does. */
const LOOK_EVERY = 150

/**
 * How an agent without a terminal ended, once it has. It goes on while the daemon is away, and so
 * does this. Undefined where the signal was first.
 */
export async function untilEnded(
  client: Client,
  id: string,
  signal: AbortSignal,
  look: (status: AgentStatus) => void = () => {},
): Promise<AgentStatus | undefined> {
  while (!signal.aborted) {
    const status = await unlessAway(() => readStatus(client, id, { signal }), signal)
    if (status !== undefined) look(status)
    if (status !== undefined && status.status !== 'running') return status
    await pause(LOOK_EVERY, signal)
  }
  return undefined
}

/** What `exomonad result` shows; it comes a moment after the end. */
export async function resultOf(
  client: Client,
  id: string,
  signal: AbortSignal,
): Promise<ToolResult<'agent_result'> | undefined> {
  while (!signal.aborted) {
    try {
      const result = await unlessAway(
        () => client.call('agent_result', { agent_id: id }, { signal }),
        signal,
      )
      if (result !== undefined) return result
    } catch (error) {
      if (!(error instanceof ExomonadError) || error.code !== 'RESULT_NOT_READY') throw error
    }
    await pause(LOOK_EVERY, signal)
  }
  return undefined
}

async function unlessAway<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    return await call()
  } catch (error) {
    if (signal.aborted || (error instanceof ExomonadError && error.code === 'DAEMON_UNAVAILABLE'))
      return undefined
    throw error
  }
}
