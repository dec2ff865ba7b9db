import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  batches,
  pauseAfter,
  plan,
  type Before,
  type Policy,
} from '../../../../src/delivery/notify/policy.ts'
import { parseQuietHours, quietUntil } from '../../../../src/domain/quiet-hours.ts'

/** Local time on a day of winter. */
const at = (hour: number, minute = 0, second = 0, day = 5): number =>
  new Date(2026, 0, day, hour, minute, second).getTime()
const quiet = parseQuietHours('22:00-07:00') ?? null
const atOnce: Policy = { after: 0, quiet: null, every: 60_000, each: false }
const never: Before = { sentAt: null, failedAt: null, failures: 0 }
const item = (id: string, time: number) => ({ id, at: time })

describe('quiet hours', () => {
  it.each([
    ['22:00-07:00', at(21, 59, 59), null],
    ['22:00-07:00', at(22), at(7, 0, 0, 6)],
    ['22:00-07:00', at(23, 30), at(7, 0, 0, 6)],
    ['22:00-07:00', at(0), at(7)],
    ['22:00-07:00', at(6, 59, 59), at(7)],
    ['22:00-07:00', at(7), null],
    ['12:15-13:45', at(12, 15), at(13, 45)],
    ['12:15-13:45', at(13, 45), null],
    ['12:15-13:45', at(0), null],
  ])('of %s at %d end at %s', (text, time, end) => {
    expect(quietUntil(parseQuietHours(text)!, time)).toBe(end)
  })

  it.each([
    '',
    'off',
    '22:00',
    '24:00-07:00',
    '22:60-07:00',
    '7:00-8:00',
    '08:00-08:00',
    ' 22:00-07:00',
  ])('are none in "%s"', (text) => expect(parseQuietHours(text)).toBeUndefined())

  it('always end ahead, and no later than a day and an hour from any moment within', () => {
    const minute = fc.integer({ min: 0, max: 1439 })
    fc.assert(
      fc.property(
        minute,
        minute,
        // Over a whole year, with both changes of the clock where there are such.
        fc.integer({ min: at(0), max: at(0) + 366 * 86_400_000 }),
        (from, to, time) => {
          fc.pre(from !== to)
          const end = quietUntil({ from, to }, time)
          if (end === null) return
          expect(end).toBeGreaterThan(time)
          expect(end - time).toBeLessThanOrEqual(25 * 3_600_000)
        },
      ),
    )
  })
})

describe('plan', () => {
  it('sends at once, after a while, or not before a minute has gone by', () => {
    const now = at(12)
    expect(plan(atOnce, now, never, [item('a', now)])).toEqual({
      due: [item('a', now)],
      next: null,
    })
    const later = plan({ ...atOnce, after: 30_000 }, now, never, [
      item('a', now - 29_999),
      item('b', now - 30_000),
    ])
    expect([later.due.map(({ id }) => id), later.next]).toEqual([['b'], now + 1])
    const soon = plan(atOnce, now, { ...never, sentAt: now - 10_000 }, [item('a', now)])
    expect(soon).toEqual({ due: [], next: now + 50_000 })
  })

  it('holds back in quiet hours what is at once, and what becomes due within them', () => {
    const policy = { ...atOnce, quiet, after: 600_000 }
    const evening = at(21, 55)
    expect(plan(policy, evening, never, [item('a', evening)])).toEqual({
      due: [],
      next: at(7, 0, 0, 6),
    })
    expect(plan({ ...policy, after: 0 }, at(3), never, [item('a', at(23))]).due).toEqual([])
    const morning = plan(policy, at(7), never, [item('a', at(0)), item('b', at(6))])
    expect(morning.due.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('leaves a target that fails alone, ever longer, up to an hour', () => {
    expect([1, 2, 3, 7, 8, 500].map((failures) => pauseAfter(failures) / 60_000)).toEqual([
      1, 2, 4, 60, 60, 60,
    ])
    const now = at(12)
    const before = { sentAt: null, failedAt: now - 60_000, failures: 2 }
    expect(plan(atOnce, now, before, [item('a', now)]).next).toBe(now + 60_000)
  })

  it('waits for no clock that was set back', () => {
    const now = at(12)
    const ahead = { sentAt: now + 3_600_000, failedAt: now + 3_600_000, failures: 1 }
    expect(plan(atOnce, now, ahead, [item('a', now + 3_600_000)]).due).toHaveLength(1)
  })
})

describe('batches', () => {
  it('are one; of notify.command one each, but for what quiet hours held back', () => {
    const items = [item('a', at(23)), item('b', at(6)), item('c', at(7)), item('d', at(8))]
    const ids = (policy: Policy) => batches(policy, items).map((some) => some.map(({ id }) => id))
    expect(ids({ ...atOnce, quiet })).toEqual([['a', 'b', 'c', 'd']])
    expect(ids({ ...atOnce, quiet, each: true })).toEqual([['a', 'b'], ['c'], ['d']])
    expect(batches(atOnce, [])).toEqual([])
  })
})

describe('a target over days', () => {
  /** Goes from one look to the next as the queue does, and returns when what was sent. */
  function run(
    policy: Policy,
    items: readonly { readonly id: string; readonly at: number; readonly settledAt: number }[],
    fails: (attempt: number) => boolean,
  ) {
    const sent: { readonly now: number; readonly ids: readonly string[] }[] = []
    const done = new Set<string>()
    let before = never
    let attempt = 0
    const looks = items.map((one) => one.at).toSorted((a, b) => a - b)
    let now = looks.shift() ?? 0
    for (let look = 0; look < 10_000; look++) {
      const fresh = items.filter((one) => one.at <= now && !done.has(one.id))
      const { due, next } = plan(policy, now, before, fresh)
      const open = due.filter((one) => one.settledAt > now)
      for (const one of due) if (one.settledAt <= now) done.add(one.id)
      if (open.length > 0) {
        if (fails(attempt++)) before = { ...before, failedAt: now, failures: before.failures + 1 }
        else {
          sent.push({ now, ids: open.map(({ id }) => id) })
          for (const { id } of open) done.add(id)
          before = { sentAt: now, failedAt: null, failures: 0 }
        }
        continue
      }
      if (due.length > 0) continue
      const following = Math.min(next ?? Infinity, looks[0] ?? Infinity)
      if (following === Infinity) return sent
      if (following === looks[0]) looks.shift()
      // A timer that does not go on is a loop without an end.
      expect(following).toBeGreaterThanOrEqual(now)
      now = following
    }
    throw new Error('it never came to an end')
  }

  const minutes = (most: number) => fc.integer({ min: 0, max: most * 60 }).map((s) => s * 1000)
  const hours = fc
    .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1439 }))
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => ({ from, to }))

  it('is told of all that stays open, of each once, at most once a minute, never in quiet hours or before its time', () => {
    fc.assert(
      fc.property(
        minutes(120),
        fc.option(hours),
        fc.array(fc.tuple(minutes(2880), fc.option(minutes(600))), { maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 6 }),
        (after, quietHours, drawn, failures) => {
          const policy: Policy = { after, quiet: quietHours, every: 60_000, each: false }
          const items = drawn.map(([offset, open], index) => ({
            id: String(index),
            at: at(0) + offset,
            settledAt: open === null ? Infinity : at(0) + offset + open,
          }))
          const byId = new Map(items.map((one) => [one.id, one]))
          const sent = run(policy, items, (attempt) => failures[attempt] === true)
          const told = sent.flatMap(({ ids }) => ids)
          expect(new Set(told).size).toBe(told.length)
          for (const { id, settledAt } of items)
            if (settledAt === Infinity) expect(told).toContain(id)
          sent.forEach(({ now, ids }, index) => {
            expect(now - (sent[index - 1]?.now ?? -Infinity)).toBeGreaterThanOrEqual(60_000)
            if (quietHours !== null) expect(quietUntil(quietHours, now)).toBeNull()
            for (const id of ids) {
              expect(now).toBeGreaterThanOrEqual((byId.get(id)?.at ?? 0) + after)
              expect(now).toBeLessThan(byId.get(id)?.settledAt ?? 0)
            }
          })
        },
      ),
      { numRuns: 200 },
    )
  })
})
