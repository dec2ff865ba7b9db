import { slotVariables } from '../../../domain/slots.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'
import type { Slots } from './slots.ts'

/**
 * What set-up and teardown commands find of the agent whose worktree they prepare or clear. No
 * token: they act for nobody.
 */
export type WorktreeVariables = (agent: Agent) => Promise<Record<string, string>>

export const createWorktreeVariables =
  ({ paths, slots }: Pick<Deps, 'paths'> & { slots: Slots }): WorktreeVariables =>
  async (agent) => ({
    EXOMONAD_AGENT_ID: agent.id,
    EXOMONAD_AGENT_NAME: agent.name,
    EXOMONAD_PARENT_ID: agent.parentId ?? '',
    EXOMONAD_ROLE: agent.role,
    EXOMONAD_BRANCH: agent.branch,
    EXOMONAD_BASE_BRANCH: agent.baseBranch ?? '',
    EXOMONAD_WORKTREE: agent.worktree,
    EXOMONAD_REPOSITORY: paths.home,
    ...slotVariables(await slots.of(agent)),
  })

/** What every agent finds in its environment of itself. `path`: the PATH that it gets otherwise. */
export const createOwnVariables =
  ({ agentPath, socket, slots }: { agentPath: string; socket: string; slots: Slots }) =>
  async (agent: Agent, path: string): Promise<Record<string, string>> => ({
    PATH: `${agentPath}:${path}`,
    EXOMONAD_AGENT_ID: agent.id,
    EXOMONAD_AGENT_NAME: agent.name,
    EXOMONAD_PARENT_ID: agent.parentId ?? '',
    EXOMONAD_BRANCH: agent.branch,
    EXOMONAD_ROLE: agent.role,
    EXOMONAD_SOCKET: socket,
    ...slotVariables(await slots.of(agent)),
  })

/** `${EXOMONAD_…}` in the configured environment stands for what the agent finds of itself. */
export const filledIn = (
  env: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{(EXOMONAD_[A-Z_]+)\}/g, (whole, key: string) => own[key] ?? whole),
    ]),
  )
