import type { ForgeBudget, RateLimit } from '../../budget.ts'
import { createPace } from './pace.ts'
import { slowdownFor } from './slowdown.ts'

/** GitHub counts them apart: REST requests and GraphQL points. */
export type Resource = 'core' | 'graphql'

export type Headers = Readonly<Record<string, string | number | undefined>>

/**
 * GitHub’s windows are an hour long: a limit that claims to last longer is a clock that is wrong.
 * Milliseconds.
 */
const LONGEST = 61 * 60_000
/** What GitHub asks for where it doesn’t say how long to wait. Milliseconds. */
const SHORTEST = 60_000

export interface Limits {
  /**
   * What is in the way of a request, until when (milliseconds since the epoch); null where nothing
   * is.
   */
  blocked(resource: Resource): { readonly by: Resource | 'all'; readonly until: number } | null
  /** What an answer said of a limit, and what it cost. */
  observe(resource: Resource, headers: Headers, cost: number): RateLimit | null
  /** A limit is used up: returns until when to wait. */
  usedUp(resource: Resource, headers: Headers): number
  /** GitHub asks to wait with everything: returns until when. */
  askedToWait(headers: Headers): number
  /** Another token has limits of its own. */
  forget(): void
  budget(): ForgeBudget
}

const numberIn = (headers: Headers, name: string): number | null => {
  const value = headers[name]
  const number = value === undefined || value === '' ? NaN : Number(value)
  return Number.isFinite(number) ? number : null
}

export function createLimits({
  clock,
  reserve,
}: {
  clock: () => number
  reserve: () => number
}): Limits {
  const limits: Record<Resource, RateLimit | null> = { core: null, graphql: null }
  const paces = { core: createPace(), graphql: createPace() }
  const blocks: Record<Resource | 'all', { since: number; until: number } | null> = {
    core: null,
    graphql: null,
    all: null,
  }

  const untilOf = (scope: Resource | 'all'): number | null => {
    const block = blocks[scope]
    const now = clock()
    // Where the clock was set back behind the block’s start, nobody knows how long it still lasts:
    // GitHub will say so again.
    if (block === null || now >= block.until || now < block.since) return null
    return block.until
  }
  const later = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? (a ?? b) : Math.max(a, b)
  const block = (scope: Resource | 'all', until: number): number => {
    const now = clock()
    blocks[scope] = {
      since: now,
      until: Math.min(later(untilOf(scope), until) ?? until, now + LONGEST),
    }
    return blocks[scope].until
  }
  const slowdown = (): number => {
    const now = clock()
    const of = (resource: Resource): number =>
      slowdownFor({
        limit: limits[resource],
        pace: paces[resource].at(now),
        reserve: reserve(),
        now,
      })
    return Math.max(of('core'), of('graphql'))
  }

  return {
    blocked(resource) {
      const [own, all] = [untilOf(resource), untilOf('all')]
      if (all !== null && all >= (own ?? 0)) return { by: 'all', until: all }
      return own === null ? null : { by: resource, until: own }
    },

    observe(resource, headers, cost) {
      paces[resource].spend(clock(), cost, slowdown())
      const [limit, remaining, reset] = [
        numberIn(headers, 'x-ratelimit-limit'),
        numberIn(headers, 'x-ratelimit-remaining'),
        numberIn(headers, 'x-ratelimit-reset'),
      ]
      const named = headers['x-ratelimit-resource']
      // Some routes have limits of their own, which say nothing of the others.
      if (
        limit === null ||
        remaining === null ||
        reset === null ||
        (named !== undefined && named !== resource)
      )
        return null
      const known = limits[resource]
      const now = { limit, remaining, resetAt: reset * 1000 }
      // Answers may overtake each other: within one window the smaller number is the later one.
      limits[resource] =
        known !== null &&
        known.resetAt === now.resetAt &&
        known.limit === limit &&
        known.remaining < remaining
          ? known
          : now
      return limits[resource]
    },

    usedUp(resource, headers) {
      const now = clock()
      const retryAfter = numberIn(headers, 'retry-after')
      const reset = numberIn(headers, 'x-ratelimit-reset')
      const until =
        retryAfter !== null ? now + retryAfter * 1000 : reset === null ? 0 : reset * 1000 + 1000
      return block(resource, until > now ? until : now + SHORTEST)
    },

    askedToWait(headers) {
      const retryAfter = numberIn(headers, 'retry-after')
      return block(
        'all',
        clock() + (retryAfter === null ? SHORTEST : Math.max(retryAfter, 1) * 1000),
      )
    },

    forget() {
      for (const resource of ['core', 'graphql'] as const)
        limits[resource] = blocks[resource] = null
      blocks.all = null
    },

    budget: () => ({
      points: limits.graphql,
      requests: limits.core,
      // Reading needs GraphQL; while only REST’s limit is used up, most goes on.
      blockedUntil: later(untilOf('all'), untilOf('graphql')),
      slowdown: slowdown(),
    }),
  }
}
