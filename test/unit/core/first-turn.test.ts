import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/adapters/store/store.ts'
import { createFirstTurn } from '../../../src/core/first-turn.ts'

const agent = (tokenHash: string) => ({ tokenHash }) as Agent

/** Whether it resolves within a moment. */
const isReady = (ready: Promise<void>) => Promise.race([ready.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 30))])

describe('the first turn of a program that hurries it', () => {
  it('is held until the tools were listed', async () => {
    const turn = createFirstTurn({ longest: 10_000, settle: 0 })
    turn.started(agent('a'))
    const ready = turn.ready(agent('a'))
    expect(await isReady(ready)).toBe(false)
    turn.listed(agent('b'))
    expect(await isReady(ready)).toBe(false)
    turn.listed(agent('a'))
    expect(await isReady(ready)).toBe(true)
  })

  it('is not held where they were listed before, nor later ones', async () => {
    const turn = createFirstTurn({ longest: 10_000, settle: 0 })
    turn.started(agent('a'))
    turn.listed(agent('a'))
    expect(await isReady(turn.ready(agent('a')))).toBe(true)
    expect(await isReady(turn.ready(agent('a')))).toBe(true)
    // One that ran before this daemon was started.
    expect(await isReady(turn.ready(agent('other')))).toBe(true)
  })

  it('goes on without them after a while, or when nobody listens any more', async () => {
    const turn = createFirstTurn({ longest: 5, settle: 0 })
    turn.started(agent('a'))
    await turn.ready(agent('a'))
    const patient = createFirstTurn({ longest: 10_000 })
    patient.started(agent('a'))
    const gone = new AbortController()
    const ready = patient.ready(agent('a'), gone.signal)
    gone.abort()
    expect(await isReady(ready)).toBe(true)
  })
})
