import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLimits } from '../../../../../../src/adapters/forge/github/client/limits.ts'
import { createPace } from '../../../../../../src/adapters/forge/github/client/pace.ts'
import {
  SLOWEST,
  slowdownFor,
} from '../../../../../../src/adapters/forge/github/client/slowdown.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

const limitArbitrary = fc.record({
  limit: fc.integer({ min: 60, max: 15_000 }),
  used: fc.double({ min: 0, max: 1, noNaN: true }),
  left: fc.integer({ min: MINUTE, max: HOUR }),
  reserve: fc.double({ min: 0, max: 0.9, noNaN: true }),
})

describe('slowdownFor', () => {
  const limit = { limit: 5000, remaining: 5000, resetAt: HOUR }

  it('is 1 where what is left lasts, where nothing is known, and where the limit is about to be reset', () => {
    expect(slowdownFor({ limit, pace: 4000 / HOUR, reserve: 0.2, now: 0 })).toBe(1)
    expect(slowdownFor({ limit: null, pace: 1, reserve: 0.2, now: 0 })).toBe(1)
    expect(
      slowdownFor({ limit: { ...limit, remaining: 0 }, pace: 1, reserve: 0.2, now: HOUR }),
    ).toBe(1)
    expect(
      slowdownFor({
        limit: { limit: 0, remaining: 0, resetAt: HOUR },
        pace: 1,
        reserve: 0.2,
        now: 0,
      }),
    ).toBe(1)
  })

  it('is what makes the rest last, with the reserve kept', () => {
    expect(slowdownFor({ limit, pace: 8000 / HOUR, reserve: 0.2, now: 0 })).toBe(2)
    expect(
      slowdownFor({
        limit: { ...limit, remaining: 2000 },
        pace: 4000 / HOUR,
        reserve: 0.2,
        now: HOUR / 2,
      }),
    ).toBe(2)
    expect(
      slowdownFor({ limit: { ...limit, remaining: 900 }, pace: 1 / HOUR, reserve: 0.2, now: 0 }),
    ).toBe(SLOWEST)
  })

  it('is never below 1, never above the slowest, and grows with the pace and the reserve', () => {
    fc.assert(
      fc.property(
        limitArbitrary,
        fc.double({ min: 0, max: 10, noNaN: true }),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (one, pace, more) => {
          const of = (faster: number, reserve: number): number =>
            slowdownFor({
              limit: {
                limit: one.limit,
                remaining: Math.round(one.limit * (1 - one.used)),
                resetAt: one.left,
              },
              pace: faster,
              reserve,
              now: 0,
            })
          const slowdown = of(pace, one.reserve)
          expect(slowdown).toBeGreaterThanOrEqual(1)
          expect(slowdown).toBeLessThanOrEqual(SLOWEST)
          expect(of(pace * more, one.reserve)).toBeGreaterThanOrEqual(slowdown)
          expect(of(pace, Math.min(0.9, one.reserve * more))).toBeGreaterThanOrEqual(slowdown)
        },
      ),
    )
  })

  it('makes the points last until they are reset, however fast they would go', () => {
    fc.assert(
      fc.property(
        limitArbitrary,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 10_000, max: 5 * MINUTE }),
        (one, cost, cycle) => {
          let remaining = Math.round(one.limit * (1 - one.used))
          const kept = Math.min(remaining, one.limit * one.reserve)
          const resetAt = one.left
          let rounds = 0
          for (let now = 0; now < resetAt; rounds++) {
            remaining -= cost
            const slowdown = slowdownFor({
              limit: { limit: one.limit, remaining, resetAt },
              pace: cost / cycle,
              reserve: one.reserve,
              now,
            })
            now += cycle * slowdown
          }
          // One round is spent before anything is known, one at the end of what is left, and a few
          // more at the slowest pace there is.
          const slowest = Math.ceil(resetAt / (cycle * SLOWEST))
          expect(remaining).toBeGreaterThanOrEqual(kept - cost * (2 + slowest))
        },
      ),
    )
  })
})

describe('createPace', () => {
  it('measures what would be spent at full speed', () => {
    const pace = createPace()
    expect(pace.at(0)).toBe(0)
    for (let now = 0; now <= 10 * MINUTE; now += MINUTE) pace.spend(now, 5, 2)
    expect(pace.at(10 * MINUTE) * MINUTE).toBeGreaterThanOrEqual(10)
    expect(pace.at(10 * MINUTE) * MINUTE).toBeLessThan(12)
    expect(pace.at(30 * MINUTE)).toBe(0)
  })

  it('does not take a first burst for the pace of an hour, and survives a clock that is set back', () => {
    const pace = createPace()
    for (let i = 0; i < 20; i++) pace.spend(HOUR, 1, 1)
    expect(pace.at(HOUR) * MINUTE).toBe(10)
    expect(pace.at(0)).toBe(0)
    pace.spend(0, 4, 1)
    expect(pace.at(0) * MINUTE).toBe(2)
  })
})

describe('createLimits', () => {
  const headers = (remaining: number, reset = 3600): Record<string, string> => ({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  })

  it('keeps the later of two answers that overtook each other, and starts anew with each window', () => {
    const limits = createLimits({ clock: () => 0, reserve: () => 0 })
    limits.observe('graphql', headers(4000), 1)
    limits.observe('graphql', headers(4010), 1)
    expect(limits.budget().points?.remaining).toBe(4000)
    limits.observe('graphql', headers(4999, 7200), 1)
    expect(limits.budget().points).toEqual({ limit: 5000, remaining: 4999, resetAt: 2 * HOUR })
    limits.observe('graphql', { ...headers(3), 'x-ratelimit-resource': 'search' }, 0)
    limits.observe('graphql', { 'x-ratelimit-limit': 'many' }, 0)
    expect(limits.budget().points?.remaining).toBe(4999)
  })

  it('lets GraphQL go on while only REST is used up, and nothing after a secondary limit', () => {
    let now = 0
    const limits = createLimits({ clock: () => now, reserve: () => 0 })
    limits.usedUp('core', headers(0, 1800))
    expect(limits.blocked('core')).toEqual({ by: 'core', until: 1_801_000 })
    expect(limits.blocked('graphql')).toBeNull()
    expect(limits.budget().blockedUntil).toBeNull()
    limits.askedToWait({})
    expect(limits.blocked('graphql')).toEqual({ by: 'all', until: MINUTE })
    expect(limits.blocked('core')).toEqual({ by: 'core', until: 1_801_000 })
    expect(limits.budget().blockedUntil).toBe(MINUTE)
    now = MINUTE
    expect(limits.blocked('graphql')).toBeNull()
  })

  it('waits a minute where a limit claims to be reset already', () => {
    const limits = createLimits({ clock: () => 10 * HOUR, reserve: () => 0 })
    expect(limits.usedUp('graphql', headers(0, 3600))).toBe(10 * HOUR + MINUTE)
  })
})
