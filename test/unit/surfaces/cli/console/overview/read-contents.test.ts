import { describe, expect, it } from 'vitest'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import { createContents } from '../../../../../../src/surfaces/cli/console/overview/read-contents.ts'
import { TABS, type Tab } from '../../../../../../src/surfaces/cli/console/overview/overview.ts'
import { reduce } from '../../../../../../src/surfaces/cli/console/reduce.ts'
import { initialState, type Action } from '../../../../../../src/surfaces/cli/console/state.ts'
import { createStore } from '../../../../../../src/surfaces/cli/console/store.ts'
import { withTypedCalls, type Client } from '../../../../../../src/surfaces/client.ts'
import { node, pull, view } from '../../../text/sample-tree.ts'

const a = node('main.a', { pr: pull(3) })
const b = node('main.b')

/** The overview with what it reads: `calls` says what was asked, and as whom. */
function reading(
  answer: (name: string) => unknown = () => ({ head_sha: 'h', diff: 'the diff', messages: [] }),
) {
  const calls: string[] = []
  const clientFor = (as: string): Client =>
    withTypedCalls({
      callTool: async (name, input) => {
        calls.push(`${as}: ${name} ${JSON.stringify(input)}`)
        return answer(name)
      },
      get: () => Promise.reject(new Error('not asked for')),
      hook: () => Promise.reject(new Error('not asked for')),
      events: async function* ({ agent, last, follow }) {
        calls.push(`${as}: events ${JSON.stringify({ agent, last, follow })}`)
        answer('events')
        yield* []
      },
    })
  const store = createStore(reduce, initialState())
  const tree = (at: number, now = a): void =>
    store.dispatch({ type: 'tree', tree: view(node('main', { children: [now, b] })), at })
  tree(0)
  store.dispatch({ type: 'place', place: 'overview' })
  let heard = { events: 0, pulls: 0 }
  const read = createContents({
    client: clientFor('the person'),
    clientFor,
    store,
    heard: () => heard,
    signal: new AbortController().signal,
  })
  return {
    calls,
    tree,
    hear: (more: Partial<typeof heard>) => (heard = { ...heard, ...more }),
    /** What is asked while this tab of this agent is shown. */
    show: async (tab: Tab, by = 0, ...actions: Action[]): Promise<string[]> => {
      for (const action of [
        { type: 'move', by } as const,
        { type: 'tab', tab } as const,
        ...actions,
      ])
        store.dispatch(action)
      await read()
      return calls.splice(0)
    },
    content: () => Object.values(store.get().overview.contents).at(-1),
  }
}

describe('what the tabs of the overview read', () => {
  it('is what the tab that is shown needs, as the person or the agent', async () => {
    const console = reading()
    await console.show('terminal', 1)
    const asked = []
    for (const tab of TABS) asked.push(await console.show(tab))
    expect(asked).toEqual([
      [],
      ['the person: pr_diff {"pr_number":3}'],
      [],
      [`the person: events {"agent":"${a.id}","last":300,"follow":false}`],
      [`${a.id}: check_mail {"peek":true}`],
    ])
  })

  it('is read again once it may have changed, and not before', async () => {
    const console = reading()
    expect(await console.show('diff', 1)).toHaveLength(1)
    console.tree(1)
    console.hear({ events: 5 })
    expect(await console.show('diff')).toEqual([])
    console.hear({ pulls: 1 })
    expect(await console.show('diff')).toHaveLength(1)
    expect(await console.show('timeline')).toHaveLength(1)
    console.tree(2)
    expect(await console.show('timeline')).toEqual([])
    console.hear({ events: 6 })
    expect(await console.show('timeline')).toHaveLength(1)
    expect(await console.show('mail')).toHaveLength(1)
    expect(await console.show('mail')).toEqual([])
    // Reading it makes the tree be read again: that must not go on for ever.
    console.tree(3)
    console.hear({ events: 7 })
    expect(await console.show('mail')).toEqual([])
    console.tree(4, { ...a, unread: 1 })
    expect(await console.show('mail')).toHaveLength(1)
  })

  it('says what there isn’t, and what went wrong', async () => {
    const none = reading()
    expect(await none.show('diff', 2)).toEqual([])
    expect(none.content()).toEqual({
      kind: 'nothing',
      why: 'It has filed no pull request yet.',
    })
    const refused = reading(() => {
      throw new ExomonadError('INTERNAL', 'The disk is full.')
    })
    await refused.show('mail', 1)
    expect(refused.content()).toEqual({ kind: 'nothing', why: 'The disk is full.' })
  })

  it('is nothing where the overview isn’t shown', async () => {
    const console = reading()
    expect(await console.show('mail', 1, { type: 'place', place: 'conversation' })).toEqual([])
  })
})
