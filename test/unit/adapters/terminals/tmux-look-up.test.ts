import { describe, expect, it } from 'vitest'
import type { Pane } from '../../../../src/adapters/terminals/holder.ts'
import { createLookUp } from '../../../../src/adapters/terminals/tmux/look-up.ts'
import { asPaneId, type PaneId } from '../../../../src/domain/ids.ts'

const ids = ['%1', '%2', '%3'].map(asPaneId)
const paneOf = (paneId: PaneId) => ({ paneId }) as Pane

/** A tmux whose answers come when they are let; holds these panes. */
function slowTmux(held: readonly PaneId[]) {
  const asked: (PaneId | undefined)[] = []
  const open: (() => void)[] = []
  const query = (paneId?: PaneId): Promise<Pane[]> => {
    asked.push(paneId)
    const found = held.filter((id) => paneId === undefined || id === paneId).map(paneOf)
    return new Promise((resolve) => open.push(() => resolve(found)))
  }
  return { asked, query, answer: () => open.shift()?.() }
}

describe('the look-up of a pane', () => {
  it('asks for one alone where nobody else asks', async () => {
    const tmux = slowTmux(ids)
    const find = createLookUp(tmux.query)
    const found = find(ids[1]!)
    tmux.answer()
    expect((await found)?.paneId).toBe('%2')
    expect(tmux.asked).toEqual(['%2'])
  })

  it('shares a look that begins after each asked, at all panes where these are several', async () => {
    const tmux = slowTmux(ids.slice(0, 2))
    const find = createLookUp(tmux.query)
    const [first, second, third, again] = [
      find(ids[0]!),
      find(ids[1]!),
      find(ids[2]!),
      find(ids[1]!),
    ]
    expect(tmux.asked).toEqual(['%1'])
    tmux.answer()
    await first
    expect(tmux.asked).toEqual(['%1', undefined])
    tmux.answer()
    expect((await Promise.all([second, third, again])).map((pane) => pane?.paneId)).toEqual([
      '%2',
      undefined,
      '%2',
    ])
    expect(tmux.asked).toHaveLength(2)
  })

  it('looks at one alone where only that was asked for meanwhile', async () => {
    const tmux = slowTmux(ids)
    const find = createLookUp(tmux.query)
    const [first, second] = [find(ids[0]!), find(ids[2]!)]
    tmux.answer()
    await first
    tmux.answer()
    expect((await second)?.paneId).toBe('%3')
    expect(tmux.asked).toEqual(['%1', '%3'])
  })

  it('goes on after a look that failed', async () => {
    let fails = true
    const find = createLookUp(async () => {
      if (fails) throw new Error('no answer')
      return ids.map(paneOf)
    })
    const [first, second] = [find(ids[0]!), find(ids[1]!)]
    await expect(first).rejects.toThrow('no answer')
    await expect(second).rejects.toThrow('no answer')
    fails = false
    expect((await find(ids[1]!))?.paneId).toBe('%2')
  })
})
