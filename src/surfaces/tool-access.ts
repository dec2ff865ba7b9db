import { ExomonadError } from '../errors.ts'
import type { Caller } from '../core/core.ts'
import type { AnyTool } from '../tools/define.ts'

/** Tools that the configuration lists for a role of the user’s own; undefined for roles it doesn’t list any for. */
export type RoleTools = (role: string) => readonly string[] | undefined

/** The person, who acts for the root: nothing is refused by role. With `--as` for another agent, that agent’s role counts. */
export const actsAsHuman = (caller: Caller): boolean => caller.kind === 'human' && caller.agent.kind === 'root'

/** tools.md, “Roles”: tl and dev by the tool’s audience, roles of the user’s own by their list among the tools of tl. */
export function mayUse(tool: AnyTool, caller: Caller, roleTools: RoleTools): boolean {
  return actsAsHuman(caller) || mayRoleUse(tool, caller.agent.role, roleTools)
}

export function mayRoleUse(tool: AnyTool, role: string, roleTools: RoleTools): boolean {
  if (role === 'tl' || role === 'dev') return tool.audience.includes(role)
  // A message that reached an agent must always be confirmable, whatever its list says.
  if (tool.name === 'ack') return true
  const list = roleTools(role) ?? []
  return tool.audience.includes('tl') && (list.includes(tool.name) || (tool.deprecated !== undefined && list.includes(tool.deprecated)))
}

/** Throws NOT_ALLOWED with who may, where the caller may not. */
export function requireAccess(tool: AnyTool, caller: Caller, roleTools: RoleTools): void {
  if (mayUse(tool, caller, roleTools)) return
  const role = caller.agent.role
  const roles = tool.audience.filter((audience) => audience !== 'human')
  const who = roles.length === 0 ? 'It is for the human only' : `It is for the role ${roles.join(', ')} and the human`
  throw new ExomonadError('NOT_ALLOWED', `${tool.name} is not for agents of the role ${role}. ${who}; ask your parent with question or note.`, {
    tool: tool.name,
    role,
    allowed: tool.audience,
  })
}
