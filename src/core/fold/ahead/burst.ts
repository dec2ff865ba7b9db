import type { Clock } from '../../../domain/clock.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'

interface Head {
  readonly number: number
  readonly head: Sha
}

const keyOf = (number: number, head: string): string => `${number}:${head}`

/**
 * Own checks that come together are left to the fold: of several that begin to wait within a short
 * time only the first runs at once, the others wait until it is quiet, and then the fold holds all
 * that still wait for a place, or lets them go.
 */
export interface Burst {
  /** Whether any may be left to the fold at all. */
  allow(allowed: boolean): void
  /** One begins to wait for a place. */
  waits(base: BranchName): void
  /** Something happened on that base. */
  stir(base: BranchName): void
  isDeferred(base: BranchName, number: number, head: Sha): boolean
  /** Whether something has happened on it within the span. */
  stirs(base: BranchName): boolean
  /** Milliseconds until nothing has for the span. */
  quietIn(base: BranchName): number
  /** Two or more are held; fewer run by themselves. Returns which. */
  hold(base: BranchName, waiting: readonly Head[]): boolean
  /** Those that still wait run by themselves; with `more` those that nobody has decided on wait on. */
  letGo(base: BranchName, options?: { readonly more?: boolean }): void
}

interface Stirred {
  /** When own checks began to wait, within the span. */
  began: number[]
  last: number
  /** Several came together, and the fold has not decided on them yet. */
  undecided: boolean
  held: Set<string>
  free: Set<string>
}

/** Heads that run by themselves are remembered until so many are. */
const FREE_KEPT = 1_000

export function createBurst({
  clock,
  span,
}: {
  readonly clock: Clock
  /** Milliseconds. */
  readonly span: number
}): Burst {
  const bases = new Map<BranchName, Stirred>()
  let allowed = false
  const of = (base: BranchName): Stirred => {
    const known = bases.get(base) ?? {
      began: [],
      last: -Infinity,
      undecided: false,
      held: new Set<string>(),
      free: new Set<string>(),
    }
    bases.set(base, known)
    return known
  }
  const recent = ({ began }: Stirred): number[] => began.filter((at) => clock() - at < span)

  return {
    allow: (now) => void (allowed = now),
    stir: (base) => void (of(base).last = clock()),
    waits: (base) => {
      const one = of(base)
      one.last = clock()
      one.began = [...recent(one), clock()]
      one.undecided ||= one.began.length > 1
    },
    isDeferred: (base, number, head) => {
      if (!allowed) return false
      const one = of(base)
      if (one.held.has(keyOf(number, head))) return true
      return !one.free.has(keyOf(number, head)) && one.undecided
    },
    stirs: (base) => clock() - of(base).last < span,
    quietIn: (base) => Math.max(of(base).last + span - clock(), 0),
    hold: (base, waiting) => {
      const one = of(base)
      const holds = allowed && waiting.length > 1
      one.undecided = false
      if (holds) for (const { number, head } of waiting) one.held.add(keyOf(number, head))
      else for (const { number, head } of waiting) one.free.add(keyOf(number, head))
      return holds
    },
    letGo: (base, { more = false } = {}) => {
      const one = of(base)
      // What is in no chain (a draft, say) nobody decides on.
      if (!more) one.undecided = false
      if (one.free.size > FREE_KEPT) one.free.clear()
      for (const key of one.held) one.free.add(key)
      one.held.clear()
    },
  }
}
