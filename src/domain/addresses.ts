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

/** The same for whoever looks up many addresses of the same agents. */
export function addressBook<One extends Addressed>(
  agents: readonly One[],
): (address: string) => readonly One[] {
  const byWord = new Map<string, One[]>()
  for (const agent of agents) {
    const branch = sharesBranch(agent) && agent.name !== agent.branch ? [] : [agent.branch]
    for (const word of new Set([agent.id, agent.name, ...branch, ...endingsOf(agent)])) {
      const others = byWord.get(word)
      if (others === undefined) byWord.set(word, [agent])
      else others.push(agent)
    }
  }
  // Of the rest the beginning of an id at most.
  return (address) => meantBy(byWord.get(address.trim()) ?? agents, address)
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
 * as no other has, else the beginning of its id. Works in one go over all, as a tree of a thousand
 * is read often.
 */
export function shortAddresses(agents: readonly Addressed[]): Map<string, string> {
  const wordsOf = new Map(
    agents.map((agent) => [agent.id, [...new Set([agent.name, ...endingsOf(agent)])]]),
  )
  const byWord = new Map<string, Addressed[]>()
  for (const agent of agents) {
    for (const word of wordsOf.get(agent.id) ?? []) {
      const others = byWord.get(word)
      if (others === undefined) byWord.set(word, [agent])
      else others.push(agent)
    }
  }
  const onlyOne = new Map<string, string>()
  for (const [word, fitting] of byWord) {
    const [only, ...more] = fitting.length === 1 ? fitting : meantBy(fitting, word)
    if (only !== undefined && more.length === 0) onlyOne.set(word, only.id)
  }
  const ids = shortIds([...wordsOf.keys()], byWord)
  return new Map(
    [...wordsOf].map(([id, words]) => [
      id,
      words.find((word) => onlyOne.get(word) === id) ?? ids.get(id) ?? id,
    ]),
  )
}

/** Letters of an id that a person would type, where that is enough. */
const SHORT_ID = 8

/** As much of each id as no other begins with, and nobody is called; else the whole. */
function shortIds(
  ids: readonly string[],
  taken: ReadonlyMap<string, unknown>,
): Map<string, string> {
  const sorted = ids.toSorted()
  return new Map(
    sorted.map((id, index) => {
      const alike = Math.max(
        beginningOf(id, sorted[index - 1] ?? ''),
        beginningOf(id, sorted[index + 1] ?? ''),
      )
      const start = id.slice(0, Math.max(SHORT_ID, alike + 1))
      return [id, taken.has(start) ? id : start]
    }),
  )
}

/** How many letters two texts begin with alike. */
function beginningOf(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** The ends of its branch, the shortest first; none where the branch is another’s. */
function endingsOf(agent: Addressed): string[] {
  if (sharesBranch(agent)) return []
  const parts = agent.branch.split('.')
  return parts.map((_, index) => parts.slice(-1 - index).join('.'))
}
