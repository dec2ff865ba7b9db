import { it, onTestFinished } from 'vitest'
import { startFeed } from '../../../../../src/surfaces/cli/console/feed.ts'
import { reduce } from '../../../../../src/surfaces/cli/console/reduce.ts'
import { initialState } from '../../../../../src/surfaces/cli/console/state.ts'
import { createStore } from '../../../../../src/surfaces/cli/console/store.ts'
import { withTypedCalls } from '../../../../../src/surfaces/client.ts'
import { waitFor } from '../../../../helpers/wait-for.ts'
import { node, view } from '../../text/sample-tree.ts'

it('goes on looking at how those stand that are waited for, where no event reports it', async () => {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort(new Error('over')))
  const store = createStore(reduce, initialState())
  const tree = view(
    node('main', { kind: 'root', waiting_for: ['id-main.a'] as never, children: [node('main.a')] }),
  )
  store.dispatch({ type: 'tree', tree, at: 0 })
  let calls = 0
  const client = withTypedCalls({
    callTool: (tool) =>
      tool === 'fan_in'
        ? Promise.resolve({
            results: [{ name: 'a', status: 'running', tool_calls: ++calls, tokens: 0 }],
          })
        : new Promise(() => {}),
    get: () => new Promise(() => {}),
    hook: () => new Promise(() => {}),
    // oxlint-disable-next-line require-yield -- nothing happens
    async *events() {
      await new Promise(() => {})
    },
  })
  startFeed({
    client,
    clientFor: () => client,
    store,
    now: () => 0,
    onEvent: () => {},
    signal: leaving.signal,
  })
  await waitFor('a third look', () => (store.get().fanIn['id-main']?.[0]?.tool_calls ?? 0) >= 3)
})
