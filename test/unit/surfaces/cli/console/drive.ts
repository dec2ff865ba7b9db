import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { withTypedCalls, type Client } from '../../../../../src/surfaces/client.ts'
import type { Feed } from '../../../../../src/surfaces/cli/console/feed.ts'
import type { Key } from '../../../../../src/surfaces/cli/console/input/keys.ts'
import { createPress } from '../../../../../src/surfaces/cli/console/input/press.ts'
import { createLines } from '../../../../../src/surfaces/cli/console/run-line.ts'
import { reduce } from '../../../../../src/surfaces/cli/console/reduce.ts'
import { initialState, viewOf } from '../../../../../src/surfaces/cli/console/state.ts'
import { createStore } from '../../../../../src/surfaces/cli/console/store.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { node, view } from '../../text/sample-tree.ts'

type Answers = Readonly<
  Record<string, (input: any, as: string | undefined, signal: AbortSignal | undefined) => unknown>
>

/**
 * The console without a terminal and a daemon: `calls` is what was asked of the daemon, `as` whom,
 * `keys` under which keys, where there were any.
 */
export function drive(
  children: readonly TreeNode[],
  answers: Answers,
  root: Partial<TreeNode> = {},
) {
  const calls: string[] = []
  const keys: string[] = []
  const store = createStore(reduce, initialState())
  let tree = view(node('main', { kind: 'root', name: 'root', ...root, children: [...children] }))
  store.dispatch({ type: 'tree', tree, at: 0 })
  const clientFor = (as?: string): Client =>
    withTypedCalls({
      callTool: async (name, input, options) => {
        calls.push(`${as ?? 'the person'}: ${name} ${JSON.stringify(input)}`)
        if (options?.key !== undefined) keys.push(options.key)
        const answer: unknown = await answers[name]?.(input, as, options?.signal)
        return answer ?? {}
      },
      get: () => Promise.reject(new Error('not asked for')),
      hook: () => Promise.reject(new Error('not asked for')),
      events: () => {
        throw new Error('not asked for')
      },
    })
  const feed: Feed = {
    wake: () => {},
    refresh: async () => store.dispatch({ type: 'tree', tree, at: 0 }),
    readScrollback: async (agent) => {
      const answer: unknown = await answers['scrollback']?.({ agent }, undefined, undefined)
      const { captureLines = null } = (answer ?? {}) as { captureLines?: number | null }
      store.dispatch({ type: 'scrollback', agent, entries: [], captureLines })
      return { entries: [], captureLines }
    },
  }
  let quits = 0
  let clock = 0
  const quit = (): void => void quits++
  const lines = createLines({
    store,
    feed,
    clientFor,
    now: () => 0,
    palette: createPalette(false),
    attach: async () => 0,
    inside: {},
    quit,
  })
  const press = createPress({
    store,
    lines,
    quit,
    now: () => clock,
    seen: () => ({ total: 0, height: 10, scroll: null }),
  })
  const insert = (text: string): Key => ({ kind: 'edit', action: { kind: 'insert', text } })
  const type = (text: string): void => press([insert(text)])
  return {
    calls,
    keys,
    store,
    quits: () => quits,
    grow: (...more: readonly TreeNode[]) =>
      (tree = view({ ...tree.root, children: [...tree.root.children, ...more] })),
    press: (...kinds: readonly Exclude<Key['kind'], 'edit' | 'paste'>[]) =>
      kinds.forEach((kind) => press([{ kind }])),
    type,
    /** Keys that came in one piece of input: text, and `\r` for Enter. */
    burst: (text: string) =>
      press(
        (text.match(/\r|[^\r]+/g) ?? []).map((part): Key =>
          part === '\r' ? { kind: 'submit' } : insert(part),
        ),
      ),
    paste: (text: string) => press([{ kind: 'paste', text }]),
    /** Lets so many milliseconds go by. */
    pass: (milliseconds: number) => void (clock += milliseconds),
    line: (text: string) => {
      type(text)
      press([{ kind: 'submit' }])
    },
    view: (agent: string) => viewOf(store.get(), agent),
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
