import { ExomonadError } from '../domain/errors.ts'
import { isAlive } from '../domain/lifecycle.ts'
import type { Agent } from '../domain/records.ts'
import type { Caller } from '../domain/caller.ts'
import type { AnyTool } from '../tools/define.ts'
import { wayBack } from '../domain/state-words.ts'

/**
 * Tools that the configuration lists for a role of the user’s own; undefined for roles it doesn’t
 * list any for.
 */
export type RoleTools = (role: string) => readonly string[] | undefined

/**
 * The person, who acts for the root: nothing is refused by role. With `--as` the role of the agent
 * that it names counts, but for what people do beside any agent.
 */
export const actsAsHuman = ({ kind, agent, isNamed }: Caller): boolean =>
  kind === 'human' && agent.kind === 'root' && isNamed !== true

/**
 * As whom something is done, from every surface: whoever acts for an agent is that agent in all of
 * it, has its rights and no more, and is taken for it by others. But for what people do beside any
 * agent, ended ones too, where they stay themselves. NOT_ALLOWED for an agent that has ended.
 */
export function identityOf(
  caller: Caller,
  { tool, by = 'person' }: { tool?: AnyTool; by?: 'person' | 'program' } = {},
): Caller {
  const { kind, agent } = caller
  if (kind === 'agent' || actsAsHuman(caller) || tool?.forAnyAgent === true) return caller
  // A root without a program is there all the same.
  if (agent.kind !== 'root' && !isAlive(agent.state))
    throw new ExomonadError(
      'NOT_ALLOWED',
      `${agent.name} ${fateOf(agent)}, so that nobody can act as it. Leave out --as to do it yourself. ${wayBack(agent)}`.trimEnd(),
      { agent_id: agent.id, state: agent.state },
    )
  return { kind: 'agent', agent, actedBy: by }
}

/** Of an agent that is over, in words. */
export const fateOf = ({ state }: Pick<Agent, 'state'>): string =>
  state === 'killed' ? 'was killed' : state === 'failed' ? 'has failed' : 'has ended'

/**
 * A message that reached an agent must always be readable and confirmable, whatever its lists say.
 */
const ALWAYS: ReadonlySet<string> = new Set(['ack', 'read_message'])

const names = (list: readonly string[], tool: AnyTool): boolean =>
  list.includes(tool.name) ||
  (tool.deprecated !== undefined && list.includes(tool.deprecated)) ||
  ALWAYS.has(tool.name)

/**
 * The roles tl and dev may use what names them in its audience, roles of the user’s own what their
 * list names among the tools of tl; of these what its agent CLI is given.
 */
export function mayUse(tool: AnyTool, caller: Caller, roleTools: RoleTools): boolean {
  return (
    actsAsHuman(caller) ||
    (caller.kind === 'human' && tool.forAnyAgent === true) ||
    mayAgentUse(tool, caller.agent, roleTools)
  )
}

export const mayAgentUse = (
  tool: AnyTool,
  { role, tools }: { role: string; tools: readonly string[] | null },
  roleTools: RoleTools,
): boolean => mayRoleUse(tool, role, roleTools) && (tools === null || names(tools, tool))

function mayRoleUse(tool: AnyTool, role: string, roleTools: RoleTools): boolean {
  if (role === 'tl' || role === 'dev') return tool.audience.includes(role)
  return tool.audience.includes('tl') && names(roleTools(role) ?? [], tool)
}

/** Throws NOT_ALLOWED with who may, where the caller may not. */
export function requireAccess(tool: AnyTool, caller: Caller, roleTools: RoleTools): void {
  if (mayUse(tool, caller, roleTools)) return
  const { role, agentCli } = caller.agent
  const instead =
    caller.kind === 'human'
      ? 'leave out --as to do it yourself'
      : 'ask your parent with question or note'
  if (mayRoleUse(tool, role, roleTools)) {
    throw new ExomonadError(
      'NOT_ALLOWED',
      `${tool.name} is not among the tools that this agent was given ([agents.${agentCli ?? ''}] tools): ${instead}.`,
      {
        tool: tool.name,
        role,
        allowed: caller.agent.tools,
      },
    )
  }
  const roles = tool.audience.filter((audience) => audience !== 'human')
  const who =
    roles.length === 0
      ? 'It is for the human only'
      : `It is for the role ${roles.join(', ')} and the human`
  throw new ExomonadError(
    'NOT_ALLOWED',
    `${tool.name} is not for agents of the role ${role}. ${who}; ${instead}.`,
    {
      tool: tool.name,
      role,
      allowed: tool.audience,
    },
  )
}
