import { randomUUID } from 'node:crypto'
import type { StoreTransaction, StoreVerbs } from '../../adapters/store/store.ts'
import type { Config } from '../../config/schema.ts'
import type { Agent, AgentRuntime } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { requireBudget } from '../usage/budgets.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import type { SpawnIntent } from './intent.ts'
import { countsAsLive } from '../agents/tree.ts'

/**
 * How agents get into the tree, for everything that makes some: in one transaction, so that no two
 * pass a limit together.
 */
export interface Admission {
  /**
   * ALREADY_DEAD where the asker ended meanwhile; LIMIT_REACHED by its budgets, by
   * limits.max_live_agents for those in terminals and by limits.max_live_headless for those
   * without. `wanted`: the runtime of each that is to be made. Returns all agents there are.
   */
  require(
    tx: StoreVerbs,
    config: Config,
    caller: Caller,
    wanted: readonly AgentRuntime[],
    verb: string,
  ): Promise<Agent[]>
  /** The row, and what a crash is to take back or finish. Returns the journal’s id. */
  enter(tx: StoreTransaction, agent: Agent, intent: SpawnIntent): Promise<string>
}

export function createAdmission({
  clock,
  onJournalStep,
}: Pick<Deps, 'clock' | 'onJournalStep'>): Admission {
  return {
    require: async (tx, config, caller, wanted, verb) => {
      const agents = await tx.agents.list()
      // Killed since it asked: a kill in one transaction with all below must not leave a child
      // behind.
      const asker = agents.find((agent) => agent.id === caller.agent.id)
      if (asker !== undefined && asker.kind !== 'root') requireAlive(asker, verb)
      requireBudget(caller.agent.id, agents, config)
      const merged = mergedBranches(await knownPulls(tx))
      const live = agents.filter((agent) => countsAsLive(agent, merged))
      const { max_live_agents, max_live_headless } = config.limits
      refuseBeyond(
        max_live_agents,
        { live, wanted },
        { what: 'agents', key: 'max_live_agents', counts: (runtime) => runtime === 'pane' },
      )
      refuseBeyond(
        max_live_headless,
        { live, wanted },
        {
          what: 'agents without a terminal',
          key: 'max_live_headless',
          counts: (runtime) => runtime !== 'pane',
        },
      )
      return agents
    },
    enter: async (tx, agent, intent) => {
      await tx.agents.insert(agent)
      const journal = randomUUID()
      await tx.journal.begin({
        id: journal,
        kind: 'spawn',
        step: 'reserved',
        data: intent,
        startedAt: clock(),
      })
      tx.afterCommit(() => onJournalStep('spawn', 'reserved'))
      return journal
    },
  }
}

function refuseBeyond(
  limit: number,
  agents: { readonly live: readonly Agent[]; readonly wanted: readonly AgentRuntime[] },
  {
    what,
    key,
    counts,
  }: {
    readonly what: string
    readonly key: string
    readonly counts: (runtime: AgentRuntime) => boolean
  },
): void {
  const more = agents.wanted.filter(counts).length
  const live = agents.live.filter(({ runtime }) => counts(runtime)).length
  if (more === 0 || live + more <= limit) return
  throw new ExomonadError(
    'LIMIT_REACHED',
    `${live} of ${limit} ${what} are live (limits.${key}); ${more} more would be too many. Merge or kill finished ones, or make fewer.`,
    { limit, live, wanted: more },
  )
}
