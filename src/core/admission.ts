import { randomUUID } from 'node:crypto'
import type { Agent, StoreTransaction, StoreVerbs } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import { requireBudget } from './budgets.ts'
import type { Caller } from './core.ts'
import type { Deps } from './deps.ts'
import { requireAlive } from './directory.ts'
import { knownPulls, mergedBranches } from './pull-records.ts'
import type { SpawnIntent } from './spawn-reserve.ts'
import { countsAsLive } from './tree.ts'

/** How agents get into the tree, for everything that makes some: in one transaction, so that no two pass a limit together. */
export interface Admission {
  /** ALREADY_DEAD where the asker ended meanwhile; LIMIT_REACHED by its budgets and limits.max_live_agents. Answers all agents there are. */
  require(tx: StoreVerbs, caller: Caller, more: number, verb: string): Promise<Agent[]>
  /** The row, and what a crash is to take back or finish. Answers the journal’s id. */
  enter(tx: StoreTransaction, agent: Agent, intent: SpawnIntent): Promise<string>
}

export function createAdmission({ settings, clock, onJournalStep }: Pick<Deps, 'settings' | 'clock' | 'onJournalStep'>): Admission {
  return {
    require: async (tx, caller, more, verb) => {
      const config = await settings.config()
      const agents = await tx.agents.list()
      // Killed since it asked: a kill in one transaction with all below must not leave a child behind.
      const asker = agents.find((agent) => agent.id === caller.agent.id)
      if (asker !== undefined && asker.kind !== 'root') requireAlive(asker, verb)
      requireBudget(caller.agent.id, agents, config)
      const limit = config.limits.max_live_agents
      const merged = mergedBranches(await knownPulls(tx))
      const live = agents.filter((agent) => countsAsLive(agent, merged)).length
      if (live + more > limit) {
        throw new ExomonadError(
          'LIMIT_REACHED',
          `${live} of ${limit} agents are live (limits.max_live_agents); ${more} more would be too many. Merge or kill finished ones, or make fewer.`,
          { limit, live, wanted: more },
        )
      }
      return agents
    },
    enter: async (tx, agent, intent) => {
      await tx.agents.insert(agent)
      const journal = randomUUID()
      await tx.journal.begin({ id: journal, kind: 'spawn', step: 'reserved', data: intent, startedAt: clock() })
      tx.afterCommit(() => onJournalStep('spawn', 'reserved'))
      return journal
    },
  }
}
