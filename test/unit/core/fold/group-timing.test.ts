import { expect, it, onTestFinished, vi } from 'vitest'
import { createCheckSlots } from '../../../../src/adapters/forge/local/check-slots.ts'
import { createGroupTiming } from '../../../../src/core/fold/group-timing.ts'
import { createQuiet } from '../../../../src/core/fold/quiet.ts'
import type { BranchName } from '../../../../src/domain/ids.ts'

/** Groups that wait for their turn at the same places, in virtual time. */
function world({ typical, running }: { typical: number; running: (now: number) => number[] }) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const began = Date.now()
  const slots = createCheckSlots()
  const timers: number[] = []
  const given: string[] = []
  const quiet = createQuiet(Date.now)
  const readyOf = createGroupTiming({
    results: {
      typicalDuration: async () => typical,
      activity: () => ({ lastEnded: 0, running: running(began) }),
      look: slots.look,
    },
    quiet,
    clock: Date.now,
    later: (milliseconds, work) => {
      timers.push(milliseconds)
      setTimeout(work, milliseconds)
    },
  })
  const wait = async (base: string): Promise<void> => {
    const ready = await readyOf(
      base as BranchName,
      () => false,
      () => undefined,
    )
    void slots.take({ parallel: 3, ready }).then(() => void given.push(base))
  }
  return { wait, quiet, slots, timers, given }
}

it('looks now and then whether the groups of two bases may be closed, not ever more often', async () => {
  const { wait, timers, given } = world({ typical: 10_000, running: (now) => [now - 10_000] })
  await wait('main')
  await wait('lane')
  for (let passed = 0; passed < 2_000 && timers.length < 1_000; passed += 50)
    await vi.advanceTimersByTimeAsync(50)
  expect(timers.length).toBeGreaterThan(10)
  expect(timers.length).toBeLessThan(50)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(given).toEqual(['main', 'lane'])
})

it('looks earlier than it was about to where a check is about to end', async () => {
  let running: number[] = []
  const { wait, quiet, slots, given } = world({ typical: 2_000, running: () => running })
  const pushed = { type: 'pr.pushed', at: Date.now(), payload: { number: 1, base: 'main' } }
  quiet.handle(pushed as never)
  // The next look is a second away.
  await wait('main')
  await vi.advanceTimersByTimeAsync(100)
  quiet.settled(1)
  running = [Date.now() - 2_000]
  slots.look()
  running = []
  await vi.advanceTimersByTimeAsync(50)
  expect(given).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(given).toEqual(['main'])
})

it('looks when it was about to where something else would have it look later', async () => {
  let running: number[] = []
  const { wait, quiet, slots, given } = world({ typical: 2_000, running: () => running })
  running = [Date.now() - 2_000]
  // The next look is a tenth of a second away.
  await wait('main')
  await vi.advanceTimersByTimeAsync(50)
  running = []
  const pushed = { type: 'pr.pushed', at: Date.now(), payload: { number: 1, base: 'main' } }
  quiet.handle(pushed as never)
  slots.look()
  quiet.settled(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(given).toEqual(['main'])
})
