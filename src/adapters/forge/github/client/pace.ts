/**
 * Long enough to hold several rounds of looking, short enough to follow a tree that grows.
 * Milliseconds.
 */
const WINDOW = 10 * 60_000
/** A first burst isn’t taken for the pace of the whole hour. Milliseconds. */
const SHORTEST = 2 * 60_000

/** Measures how fast a limit would be spent at full speed. */
export interface Pace {
  /** `slowdown`: as it was while this was spent. What was spent slowly counts for as much more. */
  spend(at: number, cost: number, slowdown: number): void
  /** Units per millisecond at full speed. */
  at(now: number): number
}

export function createPace(): Pace {
  let spent: { readonly at: number; readonly weight: number }[] = []
  const since = (now: number): void => {
    // A clock that was set back leaves entries of the future.
    spent = spent.filter(({ at }) => at > now - WINDOW && at <= now)
  }
  return {
    spend(at, cost, slowdown) {
      if (cost <= 0) return
      since(at)
      spent.push({ at, weight: cost * slowdown })
    },
    at(now) {
      since(now)
      const first = spent[0]
      if (first === undefined) return 0
      const total = spent.reduce((sum, { weight }) => sum + weight, 0)
      return total / Math.max(now - first.at, SHORTEST)
    },
  }
}
