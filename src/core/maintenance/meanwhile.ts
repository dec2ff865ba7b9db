import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { EndPrograms } from '../agents/end-program.ts'
import type { States } from '../agents/states.ts'
import type { Deps } from '../deps.ts'
import { doneAgents } from '../tree/done.ts'
import { livesOn, shares } from './keep-reason.ts'

/**
 * What a clean asks the records again, right before it acts: teardown commands of others take
 * minutes, in which an agent may be given more work, or be brought back.
 */
export interface Meanwhile {
  /**
   * Ends those that are still what was `seen` of them, and still done, with who works beside them;
   * without a word to their parents, who merged them. Returns why the others stay.
   */
  end(
    agents: readonly Agent[],
    seen: readonly Agent[],
    options: { kill: boolean },
  ): Promise<Map<Agent, string>>
  /** Why the worktree of one that had ended may not be taken away now; null where it may. */
  needed(agent: Agent): Promise<string | null>
}

const mayRun = ({ state }: Agent): string => `its program may still run (${state}); kill it first`

/** `why`: as it is said of the one itself. */
const ofEither = (agent: Agent, one: Agent, why: string): string =>
  one.id === agent.id ? why : `${one.name} may still work in it (${one.state}); kill that first`

/** Why it stays for another’s sake; undefined where nobody is based on it. */
const asBase = (agents: readonly Agent[], { branch }: Agent): string | undefined => {
  const onIt = agents.find(
    (one) => one.ownsWorktree && one.cleanedAt === null && one.baseBranch === branch,
  )
  return onIt && `it is the base of ${onIt.name}, which stays`
}

export function createMeanwhile({
  store,
  states,
  endPrograms,
}: Pick<Deps, 'store'> & { states: States; endPrograms: EndPrograms }): Meanwhile {
  return {
    end: async (agents, seen, { kill }) => {
      const staying = new Map<Agent, string>()
      const ended = await store.transaction(async (tx) => {
        const ended: Agent[] = []
        const now = await tx.agents.list()
        for (const agent of agents) {
          const living = now.filter(
            (one) => isAlive(one.state) && (one.id === agent.id || shares(one, agent)),
          )
          const done = await doneAgents(tx, living)
          const reasons = living.map((one) => {
            const before = seen.find(({ id }) => id === one.id)
            const isSame = before?.state === one.state && before.stateAt === one.stateAt
            const lives = livesOn(one, done.has(one.id), kill) ?? (isSame ? null : mayRun(one))
            return lives === null ? undefined : ofEither(agent, one, lives)
          })
          const why = [...reasons, asBase(now, agent)].find((reason) => reason !== undefined)
          if (why !== undefined) {
            staying.set(agent, why)
            continue
          }
          for (const { id } of living) {
            const change = {
              to: 'killed',
              reason: 'cleaned away, its work is merged',
              source: 'human',
              actor: 'human',
            } as const
            const changed = await states.change(id, change, tx)
            if (changed !== undefined) ended.push(changed)
          }
        }
        return ended
      })
      await endPrograms(ended)
      return staying
    },

    needed: async (agent) => {
      const now = (await store.agents.list()).filter(({ cleanedAt }) => cleanedAt === null)
      const inIt = now.find((one) => isAlive(one.state) && one.worktree === agent.worktree)
      if (inIt !== undefined) return ofEither(agent, inIt, mayRun(inIt))
      const heir = now.find(
        (one) => one.id !== agent.id && one.ownsWorktree && one.worktree === agent.worktree,
      )
      return heir === undefined
        ? (asBase(now, agent) ?? null)
        : `${heir.name} goes on with its work`
    },
  }
}
