import type { AgentStore, Store } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isAgentId, type AgentId } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import { isAlive, isLasting } from '../../domain/lifecycle.ts'
import { ancestorsOf, descendantsOf, resolveAddress } from './tree.ts'

export function createDirectory({ store }: { store: Store }): Directory {
  /** There is one, for good. */
  let rootId: AgentId | undefined
  return {
    find: (address) => findAgent(store.agents, address),
    root: async () => {
      const known = rootId === undefined ? undefined : await store.agents.get(rootId)
      const root = known ?? (await store.agents.list()).find((agent) => agent.kind === 'root')
      if (root === undefined)
        throw new ExomonadError(
          'NOT_INITIALIZED',
          'No root is registered here. Run `exomonad init` on the branch the tree should grow from.',
        )
      rootId = root.id
      return root
    },
    byTokenHash: (hash) => store.agents.findByTokenHash(hash),
    isDescendant: async (agent, ancestor) =>
      ancestorsOf(await store.agents.list(), agent.id).some((above) => above.id === ancestor),
    subtree: async (id) => [
      id,
      ...descendantsOf(await store.agents.list(), id).map((below) => below.id),
    ],
  }
}

/** The agent an address means, as `resolveAddress` has it, without reading all there are. */
export async function findAgent(
  agents: Pick<AgentStore, 'get' | 'list'>,
  address: string,
): Promise<Agent> {
  const wanted = address.trim()
  const exact = isAgentId(wanted) ? await agents.get(wanted) : undefined
  return exact ?? resolveAddress(await agents.list({ address: wanted }), address)
}

/** NOT_A_CHILD unless the target is below the caller. The human may act on anyone. */
export function requireBelow(
  agents: readonly Agent[],
  caller: Caller,
  target: Agent,
  verb: string,
): void {
  if (caller.kind === 'human') return
  if (ancestorsOf(agents, target.id).some((above) => above.id === caller.agent.id)) return
  throw new ExomonadError(
    'NOT_A_CHILD',
    `${caller.agent.name} can’t ${verb} ${target.name}: it is not below ${caller.agent.name} in the tree.`,
    {
      agent: target.id,
    },
  )
}

/** ALREADY_DEAD for agents that ended. */
export function requireAlive(agent: Agent, verb: string): void {
  if (isAlive(agent.state)) return
  throw new ExomonadError(
    'ALREADY_DEAD',
    `${agent.name} has ${agent.state === 'killed' ? 'been killed' : agent.state}: can’t ${verb} it.`,
    {
      agent: agent.id,
      state: agent.state,
    },
  )
}

/** INVALID_ARG for sessions and processes, whose program is not started twice. */
export function requireLasting(agent: Agent): void {
  if (isLasting(agent)) return
  const what = agent.kind === 'process' ? 'background task' : 'session'
  throw new ExomonadError(
    'INVALID_ARG',
    `${agent.name} is a ${what}, which ends with what it was started for. Start another one.`,
    {
      agent: agent.id,
      kind: agent.kind,
    },
  )
}

export const actorOf = (caller: Caller): AgentId | 'human' =>
  caller.kind === 'human' ? 'human' : caller.agent.id

export interface Directory {
  /**
   * By UUID, unique prefix of it (≥ 4 characters), name, branch, or an end of the branch that no
   * other has. AGENT_NOT_FOUND, AMBIGUOUS_ID.
   */
  find(address: string): Promise<Agent>
  root(): Promise<Agent>
  byTokenHash(hash: string): Promise<Agent | undefined>
  isDescendant(agent: Agent, ancestor: AgentId): Promise<boolean>
  /** It and all below it, whatever became of them. */
  subtree(id: AgentId): Promise<AgentId[]>
}
