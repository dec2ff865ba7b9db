import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { endRow } from '../../../../../src/surfaces/cli/console/rows/end-row.ts'
import {
  statusBar,
  type StatusBarOptions,
} from '../../../../../src/surfaces/cli/console/status-bar.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../src/surfaces/text/width.ts'
import { node, pull } from '../../text/sample-tree.ts'

const plain = createPalette(false)
const root = node('main', { kind: 'root' })
const path = (...branches: readonly TreeNode[]): TreeNode[] => [root, ...branches]
const auth = node('main.feature.auth', {
  tool_calls: 22,
  tokens: 13_400,
  role: 'dev',
  agent: 'claude',
})
const options = (facts: Partial<StatusBarOptions> = {}): StatusBarOptions => ({
  path: path(node('main.feature'), auth),
  position: 3,
  total: 200,
  capture_lines: null,
  inbox: { items: 0, news: 0 },
  width: 80,
  palette: plain,
  trouble: null,
  ...facts,
})
const busy: TreeNode = {
  ...auth,
  state: 'waiting',
  state_reason: 'question',
  pr: pull(12, { checks: 'failed', review: 'changes_requested' }),
  unread: 2,
  undelivered: 3,
  undecided: 1,
  open_questions: 1,
}

describe('the status bar', () => {
  it('says where the agent is and how it does', () => {
    const [place, state] = statusBar(auth, options())
    expect(place).toMatch(/^main › feature › auth {2,}3\/200$/)
    expect(displayWidth(place ?? '')).toBe(80)
    expect(state).toMatch(/^◐ running {2}13k tokens {2}22 calls/)
  })

  it('shows of a process what it runs, and how it ended', () => {
    const process = node('main', {
      name: 'build',
      kind: 'process',
      runtime: 'headless',
      command: 'npm run build',
      pid: 4711,
    })
    const [, runs] = statusBar(process, options({ path: path(process) }))
    expect(runs).toMatch(/^◐ running npm run build {2}process 4711/)
    expect(runs).not.toContain('tokens')
    const over: TreeNode = { ...process, state: 'completed', exit_code: 0 }
    expect(statusBar(over, options({ path: path(over) }))[1]).toMatch(
      /^✓ completed exit 0: npm run build/,
    )
    expect(endRow(over, { now: 0, width: 80, palette: plain })).toMatch(/^✓ completed: exit 0 · /)
  })

  it('has room for what matters most in 80 columns, and for all in 200', () => {
    const facts = { capture_lines: 3, inbox: { items: 3, news: 1 } }
    const narrow = statusBar(busy, options(facts)).join('\n')
    for (const words of [
      'auth',
      '3/200',
      'capture',
      '/inbox',
      '◇ waiting: question',
      '#12 changes ✗ failed',
      '2 unread',
      '3 undelivered',
    ])
      expect(narrow).toContain(words)
    const wide = statusBar(busy, options({ ...facts, width: 200 })).join('\n')
    for (const words of [
      'main › feature › auth',
      '┊ capture: 3 lines',
      '! /inbox: 3 items need you',
      '3/200',
      '◇ waiting: question',
      '#12 changes ✗ failed',
      '2 unread',
      '3 undelivered',
      '1! undecided',
      '22 calls',
      '13k tokens',
      '1 open question',
      'dev claude',
      'main.feature.auth',
    ]) {
      expect(wide).toContain(words)
    }
  })

  it('calls nobody where there are only news, and says nothing where there is nothing', () => {
    const place = (items: number, news: number): string =>
      statusBar(auth, options({ inbox: { items, news } }))[0] ?? ''
    expect(place(0, 14)).toContain('  /inbox: 14 messages  ')
    expect(place(1, 14)).toContain('! /inbox: 1 item needs you  ')
    expect(place(0, 0)).not.toContain('/inbox')
  })

  it('cuts the place from the left', () => {
    const deep = path(
      node('main.a-long-feature-of-many-words'),
      node('main.x.another-long-part-of-the-tree'),
      node('main.x.y.and-a-worker-in-it'),
    )
    const [place] = statusBar(auth, options({ path: deep, width: 60 }))
    expect(place).toMatch(/^… › and-a-worker-in-it {2,}3\/200$/)
    expect(statusBar(auth, options({ path: deep, width: 80 }))[0]).toMatch(
      /^… › another-long-part-of-the-tree › and-a-worker-in-it/,
    )
  })

  it('puts trouble in the place of what may be old', () => {
    expect(statusBar(busy, options({ trouble: 'The daemon doesn’t answer' }))[1]).toBe(
      '! The daemon doesn’t answer',
    )
  })

  it('shows colours where they are wanted, and no control characters of names and reasons', () => {
    const evil: TreeNode = {
      ...busy,
      name: 'a\u001b[2Jb',
      state_reason: 'x\u0007y',
      branch: 'main.\u009b1m',
    }
    const rows = statusBar(
      evil,
      options({ path: path(evil), palette: createPalette(true), width: 200 }),
    )
    expect(rows.join('')).toContain('\u001b[1mab\u001b[22m')
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(rows.join('').replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
  })

  it('is two rows that are never wider than the terminal', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '日', '👩‍💻', '-', '\u001b[31m'),
      maxLength: 40,
    })
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 1, max: 220 }),
        fc.option(fc.nat(500)),
        fc.nat(3),
        fc.constantFrom('running', 'waiting', 'idle', 'killed', 'failed', 'unknown'),
        (name, reason, width, capture, waiting, state) => {
          const one: TreeNode = { ...busy, name, state, state_reason: reason }
          const facts = {
            capture_lines: capture,
            inbox: { items: waiting, news: capture ?? 0 },
            width,
          }
          const rows = statusBar(
            one,
            options({ ...facts, path: path({ ...busy, name: reason }, one) }),
          )
          expect(rows).toHaveLength(2)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})

describe('the row that says how an agent ended', () => {
  const now = new Date(2026, 0, 5, 12, 5).getTime()
  const end = (facts: Partial<TreeNode>, width = 80): string | null =>
    endRow({ ...auth, state_age_seconds: 120, ...facts }, { now, width, palette: plain })

  it.each([
    [{ state: 'killed', state_reason: 'killed by the human' }, '✗ killed by the human · 12:03'],
    [{ state: 'killed', state_reason: null }, '✗ killed · 12:03'],
    [{ state: 'failed', state_reason: 'exit code 1' }, '✗ failed: exit code 1 · 12:03'],
    [{ state: 'completed', state_reason: null }, '✓ completed · 12:03'],
    [{ state: 'running' }, null],
    [{ state: 'idle', state_reason: 'stopped' }, null],
  ])('%j: %s', (facts, row) => {
    expect(end(facts)).toBe(row)
  })

  it('keeps the time where the reason is long', () => {
    const row =
      end({ state: 'failed', state_reason: 'its program ended before it began' }, 24) ?? ''
    expect(row).toBe('✗ failed: its… · 12:03')
  })
})
