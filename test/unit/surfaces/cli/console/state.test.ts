import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { older } from '../../../../../src/surfaces/cli/console/input/input-history.ts'
import { reduce } from '../../../../../src/surfaces/cli/console/reduce.ts'
import {
  initialState,
  inputFor,
  lineOf,
  viewOf,
  type Action,
  type ConsoleState,
} from '../../../../../src/surfaces/cli/console/state.ts'
import { node, view } from '../../text/sample-tree.ts'
import { inboxOf } from '../../text/sample-inbox.ts'

const tree = (...children: TreeNode[]): Action => ({
  type: 'tree',
  tree: view(node('main', { kind: 'root', name: 'root', children })),
  at: 0,
})
const after = (...actions: readonly Action[]): ConsoleState =>
  actions.reduce(reduce, initialState())
const line = (text: string) => ({ text, cursor: text.length })

describe('the state of the console', () => {
  it('begins with the root, and goes to the first living agent when the viewed one is hidden', () => {
    const begun = after(tree(node('main.a'), node('main.b', { state: 'killed' })))
    expect(begun.viewed).toBe('id-main')
    const there = reduce(begun, { type: 'go', agent: 'id-main.b' })
    expect(reduce(there, tree(node('main.a'), node('main.b', { state: 'killed' }))).viewed).toBe(
      'id-main.b',
    )
    expect(reduce(there, tree(node('main.a'))).viewed).toBe('id-main')
  })

  it('keeps a draft for each agent', () => {
    const state = after(
      tree(node('main.a')),
      { type: 'draft', line: line('to the root') },
      { type: 'go', agent: 'id-main.a' },
      { type: 'draft', line: line('to a') },
    )
    expect(lineOf(state).text).toBe('to a')
    expect(lineOf(reduce(state, { type: 'go', agent: 'id-main' })).text).toBe('to the root')
  })

  it('takes commands alone for an agent that ends while it is viewed', () => {
    const state = after(
      tree(node('main.a')),
      { type: 'go', agent: 'id-main.a' },
      { type: 'draft', line: line('half a') },
    )
    const ended = reduce(state, tree(node('main.a', { state: 'killed' })))
    expect([inputFor(state), inputFor(ended)]).toEqual(['free', 'commands'])
    expect(lineOf(ended).text).toBe('')
    expect(lineOf(reduce(ended, { type: 'draft', line: line('/reap') })).text).toBe('/reap')
  })

  it('holds what is written to the agent alone for which the person waits', () => {
    const wait: Action = {
      type: 'wait-begun',
      agent: 'id-main.a',
      wait: { since: 0, timeout: 30, agents: [] },
    }
    const state = after(tree(node('main.a')), { type: 'go', agent: 'id-main.a' }, wait)
    expect(inputFor(state)).toBe('held')
    const typed = reduce(state, { type: 'draft', line: line('for later') })
    expect(lineOf(reduce(typed, { type: 'wait-ended', agent: 'id-main.a' })).text).toBe('for later')
    expect(inputFor(reduce(state, { type: 'go', agent: 'id-main' }))).toBe('free')
    expect(inputFor(reduce(state, { type: 'wait-ended', agent: 'id-main.a' }))).toBe('free')
  })

  it('keeps what is written to another agent when the viewed one is hidden', () => {
    const ask = { kind: 'answer', agent: 'a', questionId: 'q-1', what: '?' } as const
    const state = after(
      tree(node('main.a'), node('main.b', { state: 'killed' })),
      { type: 'go', agent: 'id-main.b' },
      { type: 'ask', ask: { ...ask, line: line('half an ans') } },
      tree(node('main.a')),
    )
    expect(state.viewed).toBe('id-main')
    expect(lineOf(state).text).toBe('half an ans')
    // Nor do the keys mean something else where its own agent is hidden.
    expect(lineOf(reduce(state, tree())).text).toBe('half an ans')
  })

  it('has in the history what was written when one goes to another agent', () => {
    const ask = { kind: 'answer', agent: 'a', questionId: 'q-1', what: '?' } as const
    const state = after(
      tree(node('main.a'), node('main.b')),
      { type: 'ask', ask: { ...ask, line: line('half an answer') } },
      { type: 'go', agent: 'id-main.b' },
    )
    expect(state.ask).toBeNull()
    expect(older(state.history, '').text).toBe('half an answer')
  })

  it('says of a message no less than was known of it', () => {
    const sent = after(tree(), { type: 'sent', agent: 'id-main', at: 1 })
    const delivered = reduce(sent, { type: 'settled', agent: 'id-main', state: 'delivered' })
    expect(viewOf(sent, 'id-main').sent?.state).toBe('queued')
    expect(
      viewOf(
        reduce(delivered, { type: 'settled', agent: 'id-main', state: 'handed over' }),
        'id-main',
      ).sent?.state,
    ).toBe('delivered')
  })

  it('selects within what waits for the person, also when it becomes less', () => {
    const inbox = (count: number): Action => ({
      type: 'inbox',
      inbox: inboxOf({
        questions: Array.from({ length: count }, (_, index) => ({
          question_id: `q-${index}`,
          agent: 'a',
          message: '?',
          asked_at: 0,
        })),
      }),
    })
    const state = after(
      tree(),
      inbox(3),
      { type: 'overlay', overlay: { kind: 'inbox', selected: 0 } },
      { type: 'select', by: 9 },
    )
    expect(state.overlay).toEqual({ kind: 'inbox', selected: 2 })
    expect(reduce(state, inbox(1)).overlay).toEqual({ kind: 'inbox', selected: 0 })
  })

  it('goes on showing the same to who looks back while lines go away at the begin', () => {
    const lines = (first: number): string =>
      Array.from({ length: 50 }, (_, index) => `line ${first + index}`).join('\n')
    const screen = (text: string): Action => ({ type: 'screen', agent: 'id-main', text })
    const back = after(tree(), screen(lines(0)), { type: 'scroll', scroll: 20 })
    const scrollAfter = (text: string) => viewOf(reduce(back, screen(text)), 'id-main').scroll
    expect([
      scrollAfter(lines(5)),
      scrollAfter(`${lines(0)}\nmore`),
      scrollAfter(lines(30)),
      scrollAfter('all new'),
    ]).toEqual([15, 20, 0, 20])
    expect(
      viewOf(reduce(after(tree(), screen(lines(0))), screen(lines(5))), 'id-main').scroll,
    ).toBeNull()
  })

  it('stays the same object where nothing changed, so that nothing is drawn', () => {
    const state = after(
      tree(),
      { type: 'screen', agent: 'id-main', text: 'here' },
      { type: 'scrollback', agent: 'id-main', entries: [], captureLines: null },
    )
    expect(reduce(state, { type: 'screen', agent: 'id-main', text: 'here' })).toBe(state)
    expect(
      reduce(state, { type: 'scrollback', agent: 'id-main', entries: [], captureLines: null }),
    ).toBe(state)
    expect(reduce(state, { type: 'trouble', trouble: null })).toBe(state)
  })
})
