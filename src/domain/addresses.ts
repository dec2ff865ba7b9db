import { sharesBranch } from './agent-kinds.ts'

/** What addresses are compared with. */
export interface Addressed {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly branch: string
  readonly state: string
  /** Out of sight since then. */
  readonly reapedAt?: number | null
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'killed'])

/**
 * The agents that an address means: one, none, or several that it does not tell apart. By id; whole
 * branch; name or the end of a branch behind a dot, where those that have ended lose to living
 * ones, and a name counts before an end; beginning of the id (4 characters or more).
 */
export function meantBy<One extends Addressed>(
  agents: readonly One[],
  address: string,
): readonly One[] {
  const wanted = address.trim()
  if (wanted === '') return []
  const exact = agents.filter(({ id }) => id === wanted)
  if (exact.length > 0) return exact
  const whole = agents.filter(
    (agent) => agent.branch === wanted && (!sharesBranch(agent) || agent.name === wanted),
  )
  if (whole.length > 0) return present(whole)
  const named = agents.filter(({ name }) => name === wanted)
  const ending = agents.filter(
    (agent) => !sharesBranch(agent) && agent.branch.endsWith(`.${wanted}`),
  )
  const living = [named, ending].map((fitting) => fitting.filter(isLiving))
  const fitting = [...living, named, ending].find(({ length }) => length > 0)
  if (fitting !== undefined) return present(fitting)
  const start = wanted.toLowerCase()
  return start.length < 4 ? [] : present(agents.filter(({ id }) => id.startsWith(start)))
}

const isLiving = ({ state }: Addressed): boolean => !ENDED.has(state)

/**
 * The living ones; of ended ones those in sight before those out of it, and of several that had the
 * same name on the same branch the newest. `agents`: oldest first.
 */
function present<One extends Addressed>(agents: readonly One[]): readonly One[] {
  const living = agents.filter(isLiving)
  if (living.length > 0) return living
  const inSight = agents.filter(({ reapedAt }) => (reapedAt ?? null) === null)
  const newest = new Map(
    (inSight.length > 0 ? inSight : agents).map((agent) => [
      `${agent.branch}\n${agent.name}`,
      agent,
    ]),
  )
  return [...newest.values()]
}

/**
 * By id the shortest address that means the agent alone: its name, as much of the end of its branch
 * as no other has, else the beginning of its id.
 */
export function shortAddresses(agents: readonly Addressed[]): Map<string, string> {
  const byWord = new Map<string, Addressed[]>()
  const words = agents.map((agent) => {
    const own = [...new Set([agent.name, ...endingsOf(agent)])]
    for (const word of own) {
      const others = byWord.get(word)
      if (others === undefined) byWord.set(word, [agent])
      else others.push(agent)
    }
    return own
  })
  return new Map(
    agents.map((agent, index) => [
      agent.id,
      words[index]?.find((word) => {
        const meant = meantBy(byWord.get(word) ?? [], word)
        return meant.length === 1 && meant[0]?.id === agent.id
      }) ?? shortId(agents, agent),
    ]),
  )
}

/** Letters of an id that a person would type, where that is enough. */
const SHORT_ID = 8

function shortId(agents: readonly Addressed[], { id }: Addressed): string {
  for (let length = SHORT_ID; length < id.length; length++) {
    const start = id.slice(0, length)
    const meant = meantBy(agents, start)
    if (meant.length === 1 && meant[0]?.id === id) return start
  }
  return id
}

/** The ends of its branch, the shortest first; none where the branch is another’s. */
function endingsOf(agent: Addressed): string[] {
  if (sharesBranch(agent)) return []
  const parts = agent.branch.split('.')
  return parts.map((_, index) => parts.slice(-1 - index).join('.'))
}
