import { acpCliName } from '../../domain/acp-names.ts'
import { countsAsLive } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'

/** What may be chosen where something is spawned, as it is configured now. */
export interface SpawnChoices {
  /** Values of `agent`: [agents.NAME] and acp:NAME. */
  agents: { name: string; adapter: string }[]
  /** `agent`: the program of the role; null where it has none. */
  roles: { name: string; agent: string | null }[]
  /** Role of each kind where none is given. */
  default_roles: { subtree: string; worker: string }
  /** Whether `issue` can be given: the forge has issues. */
  issues: boolean
  max_live_agents: number
  live_agents: number
  max_depth: number
}

export function createSpawnChoices({
  store,
  forge,
  settings,
}: Pick<Deps, 'store' | 'forge' | 'settings'>): () => Promise<SpawnChoices> {
  return async () => {
    const { config } = await settings.snapshot()
    const merged = mergedBranches(await knownPulls(store))
    const agents = await store.agents.list()
    return {
      agents: [
        ...Object.entries(config.agents).map(([name, { adapter }]) => ({ name, adapter })),
        ...Object.keys(config.acp).map((name) => ({ name: acpCliName(name), adapter: 'acp' })),
      ],
      roles: Object.entries(config.roles).map(([name, { agent }]) => ({
        name,
        agent: agent ?? null,
      })),
      default_roles: { subtree: 'tl', worker: 'dev' },
      issues: forge.issues !== null,
      max_live_agents: config.limits.max_live_agents,
      live_agents: agents.filter((agent) => countsAsLive(agent, merged)).length,
      max_depth: config.limits.max_tree_depth,
    }
  }
}
