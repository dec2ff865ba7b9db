import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { createFrame } from '../../../../../src/surfaces/cli/console/frame.ts'
import type { Frame } from '../../../../../src/surfaces/cli/console/frame-options.ts'
import { reduce } from '../../../../../src/surfaces/cli/console/reduce.ts'
import {
  initialState,
  type Action,
  type ConsoleState,
} from '../../../../../src/surfaces/cli/console/state.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../src/surfaces/text/width.ts'
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
const draw = (state: ConsoleState, columns = 80, rows = 24): Frame =>
  createFrame()(state, { columns, rows, palette: createPalette(false), now: 12_000, spin: 0 })
const standing = [
  { name: 'reader', status: 'running' as const, tool_calls: 22, tokens: 13_000 },
  { name: 'scratch', status: 'dead' as const, tool_calls: 2, tokens: 1000 },
]

describe('a frame of the console', () => {
  it('has bar, scrollback and input line, and the cursor in that', () => {
    const state = after(
      tree(),
      { type: 'screen', agent: 'id-main', text: 'first\nsecond\n' },
      { type: 'draft', line: line('漢字') },
    )
    const { rows, cursor } = draw(state)
    expect(rows.slice(3, 5)).toEqual(['first', 'second'])
    expect(rows[2]).toBe('─'.repeat(80))
    expect(rows.at(-1)).toBe('› 漢字')
    expect(cursor).toEqual({ x: 6, y: 23 })
    expect(draw(state, 80, 12).rows[2]).toBe('first')
    const empty = reduce(state, { type: 'draft', line: line('') })
    expect([state, empty].map((one) => draw(one).rows.at(-2)?.includes('Escape: all'))).toEqual([
      false,
      true,
    ])
  })

  it('puts how those stand that are waited for between the scrollback and what turns', () => {
    const state = after(
      tree(node('main.reader')),
      { type: 'screen', agent: 'id-main', text: 'text' },
      {
        type: 'wait-begun',
        agent: 'id-main',
        wait: { since: 2000, timeout: 30, agents: ['id-main.reader'] },
      },
      { type: 'fan-in', agent: 'id-main', rows: standing },
    )
    const { rows, cursor } = draw(state)
    const [layer, rule, spinner, hint, input] = [-6, -4, -3, -2, -1].map((at) => rows.at(at))
    expect(layer).toMatch(/^ {2}reader +◐ running +22 calls +13k tokens$/)
    expect(rule).toBe('─'.repeat(80))
    expect(spinner).toContain('Waiting for 1 agent · 10s of 30s')
    expect(hint).toContain('Escape ends the wait')
    expect(input).toBe('› ')
    expect(cursor).toEqual({ x: 2, y: 23 })
    const typed = draw(reduce(state, { type: 'draft', line: line('for later') })).rows
    expect(typed.at(-2)).toContain('kept until the wait is over')
    expect(typed.at(-1)).toBe('› for later')
    // Whatever its program does, it is shown to wait.
    expect(rows[1]).toContain('◇ waiting for 1 agent')
  })

  it('shows a fan-in wait of the agent itself beside an open input line', () => {
    const waiting = node('main.lead', { state: 'waiting', waiting_for: [node('main.reader').id] })
    const state = after(
      tree(waiting),
      { type: 'go', agent: waiting.id },
      { type: 'fan-in', agent: waiting.id, rows: standing },
    )
    const { rows, cursor } = draw(state)
    expect(rows.some((row) => /scratch +✗ dead/.test(row))).toBe(true)
    expect(rows.at(-3)).toContain('It waits for 1 agent')
    expect(rows.at(-1)).toBe('› ')
    expect(cursor).not.toBeNull()
  })

  it('gives the dead no input line, and says how they ended', () => {
    const dead = node('main.a', { state: 'killed', state_reason: 'killed by the human' })
    const state = after(
      tree(dead),
      { type: 'go', agent: dead.id },
      { type: 'screen', agent: dead.id, text: 'its last words' },
    )
    const { rows, cursor } = draw(state)
    expect(rows.slice(3, 5)).toEqual([
      'its last words',
      expect.stringContaining('✗ killed by the human'),
    ])
    expect(rows.at(-1)).toContain('Ended: nothing can be sent')
    expect(cursor).toBeNull()
    expect(draw(reduce(state, { type: 'draft', line: line('/reap') })).rows.at(-1)).toBe('› /reap')
  })

  it('keeps what was seen of a terminal that is gone, and says why there is nothing else', () => {
    const seen = after(
      tree(),
      { type: 'screen', agent: 'id-main', text: 'seen' },
      { type: 'no-screen', agent: 'id-main', why: 'gone' },
    )
    expect(draw(seen).rows[3]).toBe('seen')
    expect(draw(after(tree(), { type: 'no-screen', agent: 'id-main', why: 'gone' })).rows[3]).toBe(
      'gone',
    )
    expect(draw(after(tree())).rows[3]).toBe('')
  })

  it('says that a terminal is too small, and shows what is typed', () => {
    const { rows } = draw(after(tree(), { type: 'draft', line: line('half a thought') }), 20, 5)
    expect(rows[0]).toBe('Too small: 20×5.')
    expect(rows.at(-1)).toBe('› half a thought')
  })

  it('says where one is while a capture is open, and how far from the end', () => {
    const open = after(tree(), {
      type: 'scrollback',
      agent: 'id-main',
      entries: [],
      captureLines: 2,
    })
    expect(draw(open).rows.at(-2)).toContain('capture: not sent')
    expect(draw(open).rows[0]).toContain('capture: 2 lines')
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
    const back = after(
      tree(),
      { type: 'screen', agent: 'id-main', text },
      { type: 'scroll', scroll: 0 },
    )
    expect(draw(back).rows[3]).toBe('line 0')
    expect(draw(back).rows.at(-2)).toContain('↓ 81 rows more')
  })

  it('says over the inbox what came of a decision, for a while', () => {
    const notice = { text: '✗ The disk\nis full.', at: 11_000, line: 0, colour: 'bad' as const }
    const actions: Action[] = [tree(), { type: 'overlay', overlay: { kind: 'inbox', selected: 0 } }]
    expect(draw(after(...actions, { type: 'notice', agent: 'id-main', notice })).rows.at(-1)).toBe(
      '✗ The disk is full.',
    )
    expect(
      draw(
        after(...actions, { type: 'notice', agent: 'id-main', notice: { ...notice, at: 0 } }),
      ).rows.join(''),
    ).not.toContain('disk')
  })

  it('fills every terminal exactly, whatever is shown and typed', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 120 })
    const overlays = fc.constantFrom('none', 'tree', 'help', 'inbox', 'answer', 'kill')
    fc.assert(
      fc.property(
        text,
        text,
        overlays,
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (shown, typed, overlay, columns, rows, waits) => {
          const actions: Action[] = [
            tree(node('main.a', { name: shown })),
            { type: 'screen', agent: 'id-main', text: `${shown}\n`.repeat(5) },
            { type: 'draft', line: line(typed) },
            {
              type: 'notice',
              agent: 'id-main',
              notice: { text: shown, at: 1, line: 2, colour: 'dim' },
            },
            {
              type: 'inbox',
              inbox: inboxOf({
                questions: [{ question_id: 'q-1', agent: shown, message: typed, asked_at: 0 }],
              }),
            },
          ]
          if (waits)
            actions.push(
              {
                type: 'wait-begun',
                agent: 'id-main',
                wait: { since: 0, timeout: 9, agents: ['id-main.a'] },
              },
              { type: 'fan-in', agent: 'id-main', rows: standing },
            )
          if (overlay === 'tree' || overlay === 'help')
            actions.push({ type: 'overlay', overlay: { kind: overlay, rows: [], scroll: 0 } })
          if (overlay === 'inbox' || overlay === 'answer')
            actions.push({ type: 'overlay', overlay: { kind: 'inbox', selected: 0 } })
          if (overlay === 'answer')
            actions.push({
              type: 'ask',
              ask: {
                kind: 'answer',
                agent: shown,
                questionId: 'q-1',
                what: shown,
                line: line(typed),
              },
            })
          if (overlay === 'kill')
            actions.push({
              type: 'ask',
              ask: { kind: 'kill', agentId: 'id-main.a', name: shown, below: 3 },
            })
          const frame = draw(after(...actions), columns, rows)
          expect(frame.rows).toHaveLength(rows)
          for (const row of frame.rows) {
            expect(row).not.toMatch(/\n/)
            // A wide character may need two columns where there is one.
            expect(displayWidth(row)).toBeLessThanOrEqual(Math.max(columns, 2))
          }
          if (frame.cursor !== null)
            expect(frame.cursor.x < Math.max(columns, 8) && frame.cursor.y < rows).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})
