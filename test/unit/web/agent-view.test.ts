import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Connection, WireEvent } from '../../../web/src/live/connection.ts'
import { follow } from '../../../web/src/live/queries.ts'
import { actionsOf, isOver } from '../../../web/src/views/agent/actions.ts'

const node = {
  ...{ kind: 'worker', state: 'running', pane: '%1', parent_id: 'root' as never },
}
const can = (change: object): string[] =>
  Object.entries(actionsOf({ ...node, ...change }))
    .filter(([, can]) => can)
    .map(([action]) => action)

describe('what can be done about an agent', () => {
  it.each([
    ['at work', {}, ['message', 'interrupt', 'kill']],
    ['at rest', { state: 'idle' }, ['message', 'kill']],
    ['whose program failed, and its terminal is still there', { state: 'failed' }, ['resume']],
    ['whose program and terminal are gone', { state: 'failed', pane: null }, ['resume']],
    ['that was killed', { state: 'killed', pane: null }, ['resume']],
    [
      'whose program went unnoticed',
      { state: 'unknown', pane: null },
      ['message', 'resume', 'kill'],
    ],
    ['that is being started', { state: 'spawning', pane: null }, ['message', 'kill']],
    ['that is done', { state: 'completed', pane: null }, []],
    ['that is a process', { kind: 'process' }, ['message', 'kill']],
    ['that was a process', { kind: 'process', state: 'failed' }, []],
    ['that is the root', { parent_id: null, state: 'idle', pane: null }, ['message', 'resume']],
  ])('%s', (_, change, actions) => expect(can(change).toSorted()).toEqual(actions.toSorted()))

  it('is nothing in the terminal of a program that is gone', () => {
    expect(isOver(node)).toBe(false)
    expect(isOver({ ...node, state: 'failed' })).toBe(true)
    expect(isOver({ ...node, pane: null })).toBe(true)
  })
})

describe('what an agent left', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('is read anew after its program was another', () => {
    vi.useFakeTimers()
    vi.stubGlobal('window', globalThis)
    const queries = new QueryClient()
    let happens: (event: WireEvent) => void = () => {}
    const none = () => () => {}
    const connection = {
      ...{ onStart: none, subscribe: none, get: () => ({}) },
      onEvent: (listener: typeof happens) => ((happens = listener), () => {}),
    } as unknown as Connection
    const stop = follow(connection, queries)
    const key = ['screen', { agent: 'a', lines: 2000 }]
    const isOld = (type: string) => {
      queries.setQueryData(key, { text: 'of its first life' })
      happens({ seq: 1, type, at: 0, agentId: 'a', payload: {} } as never)
      vi.advanceTimersByTime(1000)
      return queries.getQueryState(key)?.isInvalidated
    }
    expect(['agent.failed', 'agent.killed', 'agent.completed'].map(isOld)).not.toContain(false)
    // Each is a look at a terminal: not at each step of a turn.
    expect(['agent.tool', 'agent.idle', 'note'].map(isOld)).not.toContain(true)
    stop()
  })
})
