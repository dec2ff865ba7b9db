import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrame } from '../../../../../../src/surfaces/cli/console/frame.ts'
import type { Frame } from '../../../../../../src/surfaces/cli/console/frame-options.ts'
import { reduce } from '../../../../../../src/surfaces/cli/console/reduce.ts'
import { listRows } from '../../../../../../src/surfaces/cli/console/overview/list-rows.ts'
import { overviewRows } from '../../../../../../src/surfaces/cli/console/overview/overview-rows.ts'
import { TABS } from '../../../../../../src/surfaces/cli/console/overview/overview.ts'
import {
  initialState,
  type Action,
  type ConsoleState,
} from '../../../../../../src/surfaces/cli/console/state.ts'
import type { TreeNode } from '../../../../../../src/core/agents/tree-document.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'
import { node, pull, view } from '../../../text/sample-tree.ts'
import { item } from '../../../text/sample-inbox.ts'

type Item = ReturnType<typeof item>

/** The overview of these agents and items. */
const overview = (
  children: readonly TreeNode[],
  items: readonly Item[] = [],
  root: Partial<TreeNode> = {},
): ConsoleState =>
  then(
    initialState(),
    {
      type: 'tree',
      tree: view(node('main', { kind: 'root', name: 'root', ...root, children: [...children] }), {
        inbox: { messages: 0, questions: 0, approvals: 0, items: items.length, news: 0 },
      }),
      at: 0,
    },
    { type: 'place', place: 'overview' },
    {
      type: 'inbox',
      inbox: {
        items: [...items],
        next: null,
        total: 0,
        by_type: {},
        news: [],
        messages: [],
        questions: [],
        approvals: [],
      },
    },
  )
const then = (state: ConsoleState, ...actions: readonly Action[]): ConsoleState =>
  actions.reduce(reduce, state)
const draw = (state: ConsoleState, columns = 80, rows = 24): Frame =>
  createFrame()(state, { columns, rows, palette: createPalette(false), now: 60_000, spin: 0 })
const line = (text: string) => ({ text, cursor: text.length })

const asks = item({ title: 'auth asks: Which database?', agent_id: 'id-main.auth' })
const auth = node('main.auth', {
  state: 'waiting',
  state_reason: 'question q-1',
  turn: 'human',
  task: 'Login by mail',
  pr: pull(3, { checks: 'passed' }),
})

describe('the overview', () => {
  it('has what needs the person on top, the agents below, and a preview of what is selected', () => {
    const state = then(overview([auth, node('main.docs')], [asks]), {
      type: 'screen',
      agent: auth.id,
      text: 'the latest of auth\n',
    })
    const { rows, cursor } = draw(state)
    expect(rows).toHaveLength(24)
    expect(rows[0]).toMatch(/^◆ \/home\/ada\/shop .* · ! 1 item needs you$/)
    expect(rows[1]).toMatch(/^─ ▸ Needs you 1 · 3 agents ─+$/)
    expect(rows[2]).toBe('▶ ! 1 auth asks: Which database? · 1m')
    expect(rows[3]).toMatch(/^ {2}main +◐ running/)
    expect(rows[4]).toMatch(/^ {2}├─ auth +◇ waiting: question for you +#3 open ✓ +Login by mail$/)
    expect(rows[6]).toMatch(/^─ \[1 Terminal\] 2 Diff {2}3 Task {2}4 Timeline {2}5 Mail/)
    expect(rows).toContain('the latest of auth')
    expect(rows.at(-1)).toMatch(/^Enter answer · d diff · Tab preview .* · \? keys$/)
    expect(cursor).toBeNull()
  })

  it('puts list and preview side by side where there is room', () => {
    const state = then(overview([auth], [asks]), {
      type: 'screen',
      agent: auth.id,
      text: 'the latest of auth\n',
    })
    const { rows } = draw(state, 200, 50)
    expect(rows[1]).toMatch(/Needs you 1 .*┬─ \[1 Terminal\]/)
    expect(rows[2]).toMatch(/^▶ ! 1 auth asks: .* │ auth asks: Which database\?$/)
    expect(rows.some((row) => row.endsWith('│ the latest of auth'))).toBe(true)
    expect(rows).toHaveLength(50)
  })

  it('says what to do where nobody works yet', () => {
    expect(draw(overview([], [], { pane: null })).rows.join('\n')).toContain('`exomonad up "TASK"`')
  })

  it('begins with an agent that works where the root has no program', () => {
    const state = overview([node('main.gone', { state: 'killed' }), node('main.b')], [], {
      pane: null,
    })
    expect(state.viewed).toBe('id-main.b')
    expect(draw(state).rows.find((row) => row.startsWith('▶'))).toContain('─ b')
  })

  it('gives the preview the room where it has the keys', () => {
    const many = Array.from({ length: 30 }, (_, index) => node(`main.a${index}`))
    const tabs = ({ rows }: Frame): number => rows.findIndex((row) => row.includes('1 Terminal'))
    const list = overview(many)
    expect(tabs(draw(list))).toBe(12)
    const preview = draw(then(list, { type: 'focus', focus: 'preview' }))
    expect(tabs(preview)).toBe(5)
    expect(preview.rows[5]).toMatch(/^─ ▸\[1 Terminal\]/)
  })

  it('shows each tab of the agent that is selected', () => {
    const diff = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+one\n'
    const state = then(
      overview([auth], [asks]),
      {
        type: 'scrollback',
        agent: auth.id,
        entries: [],
        captureLines: null,
        task: 'Login\nby mail',
      },
      {
        type: 'content',
        agent: auth.id,
        tab: 'diff',
        content: { kind: 'diff', number: 3, head: 'h', diff },
      },
      {
        type: 'content',
        agent: auth.id,
        tab: 'mail',
        content: {
          kind: 'mail',
          messages: [{ from: 'x', name: 'docs', message: 'Read this.', sent_at: 0 }],
        },
      },
      {
        type: 'content',
        agent: auth.id,
        tab: 'timeline',
        content: {
          kind: 'timeline',
          events: [
            {
              seq: 1,
              type: 'pr.opened',
              at: 0,
              agentId: auth.id,
              actor: auth.id,
              why: null,
              payload: { number: 3, title: 'Login' },
            },
          ],
        },
      },
    )
    const at = (tab: (typeof TABS)[number]): string =>
      draw(then(state, { type: 'tab', tab })).rows.join('\n')
    expect(at('task')).toMatch(/\[3 Task\].*\n[^]*Login\nby mail\n/)
    expect(at('diff')).toMatch(/a\.ts \+1 -0\n@@ -0,0 \+1 @@\n1 \+ one\n/)
    expect(at('mail')).toMatch(/1 message, not taken yet\n\n● docs · 1m ago\n {2}Read this\./)
    expect(at('timeline')).toMatch(/auth +\S .*#3/)
  })

  it('shows an agent for which the person waits here as waiting', () => {
    const state = then(overview([node('main.a')]), {
      type: 'wait-begun',
      agent: 'id-main.a',
      wait: { since: 0, timeout: 9, agents: [] },
    })
    const { rows } = draw(state)
    expect(rows.find((row) => row.includes('─ a'))).toContain('◇ waiting for mail')
    expect(rows[0]).toContain('1 waiting')
  })

  it('shows the line that is written, with the cursor in it, and what Enter will do', () => {
    const state = overview([auth, node('main.docs')])
    const shown = (text: string): string[] =>
      draw(then(state, { type: 'overview-line', line: line(text) })).rows.slice(-2)
    expect(shown('/docs')).toEqual([
      expect.stringContaining('1 row · Enter keeps the filter'),
      '/docs',
    ])
    expect(shown('/wa')[0]).toContain('a command, or words to filter by')
    expect(shown('/wait 30')[0]).toContain('a command for root · Enter runs it')
    expect(draw(then(state, { type: 'overview-line', line: line('/漢字') })).cursor).toEqual({
      x: 5,
      y: 23,
    })
  })

  it('shows the begin of an item that has more rows than there is room for', () => {
    const state = overview([auth], [{ ...asks, title: 'a question of many words '.repeat(9) }])
    const list = draw(then(state, { type: 'focus', focus: 'preview' }), 40, 10).rows.slice(2, 4)
    expect(list[0]).toMatch(/^▶ ! 1 a question of/)
    const rows = listRows(overviewRows(state), {
      selected: 0,
      width: 40,
      height: 1,
      now: 0,
      palette: createPalette(false),
      spin: 0,
    })
    expect(rows).toEqual([expect.stringMatching(/^▶ ! 1 a question of/)])
  })

  it('keeps what is selected on the screen, wherever it stands', () => {
    const many = Array.from({ length: 200 }, (_, index) => node(`main.agent-${index}`))
    let state = overview(many, [asks, { ...asks, id: 'question:q-2', number: 2 }])
    for (const by of [1, 1, 1, 7, 50, 100, 100, -3, -120, -200]) {
      state = then(state, { type: 'move', by })
      for (const [columns, rows] of [
        [40, 10],
        [80, 24],
        [200, 50],
      ] as const)
        expect(draw(state, columns, rows).rows.filter((row) => row.startsWith('▶'))).toHaveLength(1)
    }
  })
})

// Words that show by their begin and end whether they are whole.
const word = fc
  .tuple(fc.constantFrom('', 'x', '漢字', 'éü', '🐙'), fc.integer({ min: 0, max: 9999 }))
  .map(([middle, number]) => `Ж${middle}${number}Ж`)
const prose = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '))
const brokenWords = (row: string): string[] =>
  row.split(/[\s…│]+/).filter((part) => part.split('Ж').length % 2 === 0)

describe('every frame of the overview', () => {
  it('has exactly the terminal’s rows, none wider than it, and no word cut in its middle', () => {
    fc.assert(
      fc.property(
        prose,
        prose,
        prose,
        fc.constantFrom(...TABS),
        fc.constantFrom('list', 'preview', 'line', 'answer', 'decide', 'merge', 'notice'),
        fc.constantFrom([40, 10], [80, 24], [110, 30], [200, 50], [57, 19]),
        fc.nat(4),
        (task, title, shown, tab, what, [columns = 80, rows = 24], move) => {
          const agent = { ...auth, task, state_reason: title }
          const base = then(
            overview(
              [agent, node('main.docs', { state: 'failed', state_reason: shown })],
              [item({ title, text: shown, agent_id: auth.id })],
            ),
            { type: 'move', by: move },
            { type: 'tab', tab },
            { type: 'screen', agent: auth.id, text: `${shown}\n${task}` },
            { type: 'scrollback', agent: auth.id, entries: [], captureLines: null, task },
          )
          const diff = `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+${shown}\n`
          const filled = then(
            base,
            {
              type: 'content',
              agent: auth.id,
              tab: 'diff',
              content: { kind: 'diff', number: 3, head: 'h', diff },
            },
            {
              type: 'content',
              agent: auth.id,
              tab: 'mail',
              content: { kind: 'nothing', why: task },
            },
          )
          const asked: Record<string, Action> = {
            preview: { type: 'focus', focus: 'preview' },
            line: { type: 'overview-line', line: line('/help') },
            answer: {
              type: 'ask',
              ask: {
                kind: 'answer',
                agent: 'auth',
                questionId: 'q',
                what: title,
                line: line('yes'),
              },
            },
            decide: {
              type: 'ask',
              ask: { kind: 'decide', agent: 'auth', approvalId: 'p', what: title },
            },
            merge: { type: 'ask', ask: { kind: 'merge', number: 3, title, head: 'abcdef0123' } },
            notice: {
              type: 'notice',
              agent: auth.id,
              notice: { text: shown, at: 59_000, line: 0, colour: 'bad' },
            },
          }
          const action = asked[what]
          const frame = draw(action === undefined ? filled : then(filled, action), columns, rows)
          expect(frame.rows).toHaveLength(rows)
          for (const row of frame.rows) {
            expect(displayWidth(row)).toBeLessThanOrEqual(columns)
            expect(brokenWords(row)).toEqual([])
          }
        },
      ),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it('fits whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 120 })
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 40, max: 220 }),
        fc.integer({ min: 10, max: 60 }),
        fc.constantFrom(...TABS),
        (name, title, columns, rows, tab) => {
          const state = then(
            overview(
              [
                node('main.a', {
                  name,
                  short: name,
                  task: title,
                  state: 'failed',
                  state_reason: title,
                }),
              ],
              [item({ title, text: name, agent_id: 'id-main.a' })],
            ),
            { type: 'screen', agent: 'id-main.a', text: title },
            { type: 'tab', tab },
            { type: 'content', agent: 'id-main.a', tab, content: { kind: 'nothing', why: title } },
          )
          const frame = draw(state, columns, rows)
          expect(frame.rows).toHaveLength(rows)
          for (const row of frame.rows) {
            expect(row).not.toMatch(/\n/)
            expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          }
        },
      ),
      { numRuns: 200, endOnFailure: true },
    )
  })
})
