import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '../../../../src/domain/records.ts'
import { createQuiet } from '../../../../src/core/fold/quiet.ts'

const event = (
  type: string,
  number: number,
  at: number,
  more: Record<string, unknown> = {},
): StoredEvent =>
  ({ type, at, payload: { number, base: 'main', ...more } }) as unknown as StoredEvent

describe('whether something that belongs into the same result is about to come', () => {
  it('waits for what has just become ready, until it is asked for', () => {
    const now = 1_000
    const quiet = createQuiet(() => now)
    expect(quiet.in('main', 500)).toBe(0)
    quiet.handle(event('pr.ready', 1, 1_000))
    quiet.handle(event('pr.ready', 2, 1_000))
    expect(quiet.in('main', 500)).toBeGreaterThan(0)
    expect(quiet.in('main', 500)).toBe(500)
    expect(quiet.in('other', 500)).toBe(0)
    quiet.settled(1)
    expect(quiet.in('main', 500)).toBeGreaterThan(0)
    quiet.settled(2)
    expect(quiet.in('main', 500)).toBe(0)
  })

  it('waits no longer than that', () => {
    let now = 1_000
    const quiet = createQuiet(() => now)
    quiet.handle(event('ci.failed', 1, 1_000))
    now = 1_499
    expect(quiet.in('main', 500)).toBeGreaterThan(0)
    now = 1_500
    expect(quiet.in('main', 500)).toBe(0)
    expect(quiet.in('main', 500)).toBe(0)
  })

  it('waits for a fix that was asked for, not for an approval or what has ended', () => {
    const quiet = createQuiet(() => 1_000)
    quiet.handle(event('pr.review', 1, 1_000, { state: 'approved' }))
    expect(quiet.in('main', 500)).toBe(0)
    quiet.handle(event('pr.review', 1, 1_000, { state: 'changes_requested' }))
    expect(quiet.in('main', 500)).toBeGreaterThan(0)
    quiet.handle(event('pr.merged', 1, 1_000))
    expect(quiet.in('main', 500)).toBe(0)
  })
})
