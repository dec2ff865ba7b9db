import { describe, expect, it } from 'vitest'
import { createDeaths } from '../../../../src/adapters/terminals/deaths.ts'
import type { Pane } from '../../../../src/adapters/terminals/holder.ts'
import { asPaneId, newAgentId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

const agentId = newAgentId()
const pane = (id: string, end?: { exitCode: number }): Pane => ({
  paneId: asPaneId(id),
  agentId,
  pid: 1,
  name: id,
  title: null,
  dead: end !== undefined,
  exitCode: end?.exitCode ?? null,
  exitSignal: null,
  inMode: false,
  foreground: null,
  humanActiveAt: null,
  pasted: [],
  entered: [],
})

/** A tracker over lists that the test answers one after the other. */
function setUp() {
  const asked: { answer: (panes: Pane[]) => void; fail: (error: Error) => void }[] = []
  const deaths = createDeaths({
    list: async () => await new Promise<Pane[]>((answer, fail) => asked.push({ answer, fail })),
    log: silentLog(),
  })
  const reported: [string, number | null][] = []
  deaths.onDeath(({ paneId, exitCode }) => reported.push([paneId, exitCode]))
  const look = async (...panes: Pane[]) => {
    const done = deaths.look()
    asked.shift()?.answer(panes)
    await done
  }
  return { deaths, reported, look, asked }
}

describe('deaths', () => {
  it('learns at first, and then reports each pane that died or went once', async () => {
    const { reported, look } = setUp()
    await look(pane('a'), pane('b'), pane('c', { exitCode: 1 }))
    expect(reported).toEqual([])
    await look(pane('a'), pane('b', { exitCode: 2 }), pane('c', { exitCode: 1 }))
    await look(pane('b', { exitCode: 2 }), pane('d', { exitCode: 4 }))
    await look()
    expect(reported).toEqual([
      ['b', 2],
      ['d', 4],
      ['a', null],
    ])
  })

  it('does not miss a pane in a list that was asked for before it opened', async () => {
    const { deaths, reported, look, asked } = setUp()
    await look()
    const done = deaths.look()
    deaths.opened(asPaneId('new'), agentId)
    asked.shift()?.answer([])
    await done
    expect(reported).toEqual([])
    await look()
    expect(reported).toEqual([['new', null]])
  })

  it('looks again when it is asked during a look, once for all askers', async () => {
    const { deaths, reported, look, asked } = setUp()
    await look(pane('a'))
    const all = [deaths.look(), deaths.look(), deaths.look()]
    expect(asked).toHaveLength(1)
    asked.shift()?.answer([pane('a')])
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toHaveLength(1)
    asked.shift()?.answer([])
    await Promise.all(all)
    expect(reported).toEqual([['a', null]])
    expect(asked).toHaveLength(0)
  })

  it('waits for the exit of a program that is cut off from its terminal', async () => {
    const { reported, look } = setUp()
    await look(pane('a'))
    await look({ ...pane('a'), dead: true })
    expect(reported).toEqual([])
    await look(pane('a', { exitCode: 3 }))
    expect(reported).toEqual([['a', 3]])
  })

  it('takes a list that fails for no news', async () => {
    const { deaths, reported, look, asked } = setUp()
    await look(pane('a'))
    const done = deaths.look()
    asked.shift()?.fail(new Error('no answer'))
    await done
    expect(reported).toEqual([])
    await look(pane('a'))
    expect(reported).toEqual([])
  })
})
