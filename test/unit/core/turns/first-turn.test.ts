import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createFirstTurn } from '../../../../src/core/turns/first-turn.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

const HOUR = 3_600_000

const agent = (tokenHash: string) => ({ tokenHash }) as Agent

/** Whether it is held: longer than a moment. */
const isHeld = (ready: Promise<void>) =>
  Promise.race([
    ready.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 30)),
  ])
/** Until it is held no longer, which nothing but the test's own doing can bring about. */
const goesOn = async (ready: Promise<void>) => {
  let gone = false
  void ready.then(() => (gone = true))
  await waitFor('it to go on', () => gone, { limit: 15_000 })
}

describe('the first turn of a program that hurries it', () => {
  it('is held until the tools were listed', async () => {
    const turn = createFirstTurn({ longest: HOUR, settle: 0 })
    turn.started(agent('a'))
    const ready = turn.ready(agent('a'))
    expect(await isHeld(ready)).toBe(true)
    turn.listed(agent('b'))
    expect(await isHeld(ready)).toBe(true)
    turn.listed(agent('a'))
    await goesOn(ready)
  })

  it('is not held where they were listed before, nor later ones', async () => {
    const turn = createFirstTurn({ longest: HOUR, settle: 0 })
    turn.started(agent('a'))
    turn.listed(agent('a'))
    await goesOn(turn.ready(agent('a')))
    await goesOn(turn.ready(agent('a')))
    // One that ran before this daemon was started.
    await goesOn(turn.ready(agent('other')))
  })

  it('goes on without them after a while, or when nobody listens any more', async () => {
    const turn = createFirstTurn({ longest: 5, settle: 0 })
    turn.started(agent('a'))
    await goesOn(turn.ready(agent('a')))
    const longWait = createFirstTurn({ longest: HOUR })
    longWait.started(agent('a'))
    const gone = new AbortController()
    const ready = longWait.ready(agent('a'), gone.signal)
    gone.abort()
    await goesOn(ready)
  })
})
