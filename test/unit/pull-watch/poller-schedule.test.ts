import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSteadyClock, PULSE } from '../../../src/pull-watch/clock.ts'
import { createSchedule } from '../../../src/pull-watch/schedule.ts'

const CADENCE = { active: 30_000, idle: 300_000 }

describe('schedule', () => {
  it('leaves nothing unread for longer than its pace, however reads and hints fall, and reads nothing twice within half of it', () => {
    const moves = fc.array(
      fc.record({
        wait: fc.integer({ min: 1, max: 40_000 }),
        hinted: fc.option(fc.integer({ min: 0, max: 9 })),
      }),
      {
        minLength: 1,
        maxLength: 200,
      },
    )
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        moves,
        (actives, steps) => {
          let now = 0
          const schedule = createSchedule(() => now)
          const readAt = new Map<number, number>()
          const paceOf = (number: number): number =>
            actives[number] === true ? CADENCE.active : CADENCE.idle
          const read = (number: number): void => {
            readAt.set(number, now)
            schedule.read(number, { active: actives[number] ?? false, settled: true })
          }
          actives.forEach((_, number) => read(number))
          for (const { wait, hinted } of steps) {
            const until = now + wait
            for (
              let at = schedule.next(CADENCE) ?? Infinity;
              at <= until;
              at = schedule.next(CADENCE) ?? Infinity
            ) {
              now = Math.max(now, at)
              const due = schedule.due(CADENCE)
              expect(due.length).toBeGreaterThan(0)
              const early = due.filter(
                (number) => now - (readAt.get(number) ?? 0) < paceOf(number) / 2,
              )
              expect(early).toEqual([])
              due.forEach(read)
            }
            now = until
            if (hinted !== null) read(hinted)
            // One assertion a step: ten of them cost more than all that is tested.
            const late = [...readAt].filter(([number, at]) => now - at > paceOf(number))
            expect(late).toEqual([])
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('brings those that are read at different times into step', () => {
    let now = 0
    const schedule = createSchedule(() => now)
    for (let number = 0; number < 30; number++) {
      now = number * 1_000
      schedule.read(number, { active: true, settled: true })
    }
    let calls = 0
    while (now < 600_000) {
      now = schedule.next(CADENCE) ?? now
      calls++
      for (const number of schedule.due(CADENCE))
        schedule.read(number, { active: true, settled: true })
    }
    expect(calls).toBeLessThan(25)
  })

  it('(20.16) gives checks that may still begin a while, and looks soon where more than that is not known', () => {
    let now = 0
    const schedule = createSchedule(() => now)
    const waits: number[] = []
    const states = [false, 'checks', 'checks', 'checks'] as const
    for (const settled of states) {
      schedule.read(1, { active: true, settled })
      const next = schedule.next(CADENCE) ?? NaN
      waits.push(next - now)
      now = next
    }
    expect(waits).toEqual([1_000, 15_000, 30_000, 30_000])
    schedule.read(1, { active: true, settled: true })
    expect([schedule.backsOff(1), schedule.next(CADENCE)]).toEqual([false, now + 30_000])
  })

  it('(20.16) lets idle ones come along with the last active look before they are due, and active ones never early with idle ones', () => {
    let now = 0
    const schedule = createSchedule(() => now)
    schedule.read(1, { active: false, settled: true })
    now = 17_000
    schedule.read(2, { active: true, settled: true })
    const calls: [number, readonly number[]][] = []
    while (now < 900_000) {
      now = schedule.next(CADENCE) ?? now
      const due = schedule.due(CADENCE)
      calls.push([now, due])
      for (const number of due) schedule.read(number, { active: number === 2, settled: true })
    }
    expect(calls.filter(([, due]) => due.includes(1)).map(([at]) => at)).toEqual([
      287_000, 587_000, 887_000,
    ])
    expect(calls.every(([, due]) => due.includes(2))).toBe(true)
    expect(calls).toHaveLength(30)
  })

  it('tries one that fails after 1, 2, 4 … s, never less often than active ones, until it is read', () => {
    let now = 0
    const schedule = createSchedule(() => now)
    const waits: number[] = []
    for (let tries = 0; tries < 8; tries++) {
      schedule.failed(7)
      expect(schedule.backsOff(7)).toBe(true)
      const next = schedule.next(CADENCE) ?? 0
      waits.push(next - now)
      now = next
      expect(schedule.due(CADENCE)).toEqual([7])
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    schedule.read(7, { active: false, settled: true })
    expect(schedule.backsOff(7)).toBe(false)
    expect(schedule.next(CADENCE)).toBe(now + CADENCE.idle)
    schedule.forget(7)
    expect(schedule.next(CADENCE)).toBeUndefined()
  })
})

describe('steady clock', () => {
  it('never goes back, keeps pace with a clock that runs, and reports every jump in full', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('runs' as const), by: fc.integer({ min: 0, max: PULSE }) }),
        fc.record({
          kind: fc.constant('jumps' as const),
          by: fc.oneof(
            fc.integer({ min: 200_000, max: 1e9 }),
            fc.integer({ min: -1e9, max: -61_000 }),
          ),
        }),
      ),
      { maxLength: 50 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        let wall = 1e12
        const steady = createSteadyClock(() => wall)
        const start = steady.now()
        let last = start
        let ran = 0
        for (const { kind, by } of all) {
          wall += by
          if (kind === 'runs') {
            ran += by
            expect(steady.takeJump()).toBe(0)
          } else expect(steady.takeJump()).toBe(by)
          expect(steady.now()).toBeGreaterThanOrEqual(last)
          last = steady.now()
        }
        expect(last - start).toBe(ran)
      }),
    )
  })

  it('takes a small correction for none', () => {
    let wall = 1e12
    const steady = createSteadyClock(() => wall)
    const before = steady.now()
    wall -= 20_000
    expect(steady.now()).toBe(before)
    wall += 5_000
    expect(steady.now()).toBe(before + 5_000)
    expect(steady.takeJump()).toBe(0)
  })
})
