import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SubagentEvent } from '../../../../../src/core/sessions/subagent-progress.ts'
import { createPalette } from '../../../../../packages/subagents/src/terminal/palette.ts'
import {
  foldSubagents,
  NO_SUBAGENTS,
  progressLine,
  subagentRows,
  type SubagentTree,
} from '../../../../../packages/subagents/src/terminal/subagent-tree.ts'
import { displayWidth } from '../../../../../packages/subagents/src/terminal/width.ts'

const palette = createPalette(false)
const fold = (...events: SubagentEvent[]): SubagentTree =>
  events.reduce(foldSubagents, NO_SUBAGENTS)
const rows = (
  tree: SubagentTree,
  width = 80,
  more: { height?: number; now?: number; frame?: number } = {},
): string[] => subagentRows(tree, { now: 12_000, frame: 0, ...more, width, palette })

const started = (
  id: string,
  description: string,
  parent: string | null = null,
  at = 0,
): SubagentEvent => ({
  kind: 'started',
  id,
  at,
  parent,
  mode: 'spawn',
  description,
})
const tool = (
  id: string,
  name: string,
  detail = '',
  phase: 'started' | 'ended' = 'started',
  status: string | null = null,
): SubagentEvent => ({
  kind: 'tool',
  id,
  at: 1000,
  tool: name,
  detail,
  phase,
  status,
})
const ended = (
  id: string,
  at: number,
  more: { success?: boolean; turns?: number | null; reason?: string | null } = {},
): SubagentEvent => ({
  kind: 'ended',
  id,
  at,
  success: true,
  turns: 2,
  reason: null,
  ...more,
})

const NESTED = [
  started('a', 'Researching API endpoints'),
  tool('a', 'read', 'src/router.ts'),
  tool('a', 'read', 'src/router.ts', 'ended', 'completed'),
  tool('a', 'subagent_spawn', 'Reading the tests'),
  started('b', 'Reading the tests', 'a', 4000),
  tool('b', 'bash', 'npm test'),
]

describe('the tree of subagents', () => {
  it('has a row each with how long it goes on and how many calls it made, the last calls below it, and those it waits for further in', () => {
    expect(rows(fold(...NESTED))).toEqual([
      '⠋ Researching API endpoints · 12s · 2 tool calls',
      '  ⎿ read src/router.ts',
      '  ⎿ subagent_spawn',
      '  ⠋ Reading the tests · 8s · 1 tool call',
      '    ⎿ bash npm test',
    ])
  })

  it('keeps one row of those that have ended: their turns, and why where they failed', () => {
    const tree = fold(
      ...NESTED,
      ended('b', 9000, { success: false, turns: 3, reason: 'the model went away' }),
      ended('a', 11_000),
    )
    expect(rows(tree, 80, { now: 99_000 })).toEqual([
      '✓ Researching API endpoints · 11s · 2 tool calls · 2 turns',
      '  ✗ Reading the tests: the model went away · 5s · 1 tool call · 3 turns',
    ])
  })

  it('shows the last three calls, and marks those that failed', () => {
    const calls = ['one', 'two', 'three', 'four'].map((name) => tool('a', name))
    expect(
      rows(fold(started('a', 'Work'), ...calls, tool('a', 'three', '', 'ended', 'failed'))),
    ).toEqual(['⠋ Work · 12s · 4 tool calls', '  ⎿ two', '  ✗ three', '  ⎿ four'])
  })

  it('leaves numbers out where a narrow terminal has no room for words beside them', () => {
    expect(rows(fold(...NESTED), 40)).toEqual([
      '⠋ Researching API… · 12s · 2 tool calls',
      '  ⎿ read src/router.ts',
      '  ⎿ subagent_spawn',
      '  ⠋ Reading the tests · 8s · 1 tool call',
      '    ⎿ bash npm test',
    ])
    expect(rows(fold(...NESTED), 22)).toEqual([
      '⠋ Researching… · 12s',
      '  ⎿ read src/router.ts',
      '  ⎿ subagent_spawn',
      '  ⠋ Reading the… · 8s',
      '    ⎿ bash npm test',
    ])
  })

  it('is not driven by what titles hold: control sequences are gone, wide characters count as two columns', () => {
    const tree = fold(
      started('a', '調査する\u001b[2J日本語の\u001b]0;title\u0007ドキュメントを全部読む'),
      tool('a', 'ba\u0000sh', '\u001b[31mrm\n-rf 日本語日本語日本語日本語日本語\u202e'),
    )
    expect(rows(tree, 80)).toEqual([
      '⠋ 調査する日本語のドキュメントを全部読む · 12s · 1 tool call',
      '  ⎿ bash rm -rf 日本語日本語日本語日本語日本語',
    ])
    expect(rows(tree, 40)).toEqual(['⠋ 調査する日本語の… · 12s · 1 tool call', '  ⎿ bash rm -rf…'])
    expect(rows(tree, 40).map(displayWidth)).toEqual([39, 16])
  })

  it('says what it waits for where a person has to decide, until it goes on', () => {
    const asks: SubagentEvent = {
      kind: 'waiting',
      id: 'a',
      at: 1000,
      reason: 'permission to rm\u001b[2J -rf',
    }
    expect(rows(fold(started('a', 'Work'), tool('a', 'rm'), asks))).toEqual([
      '⠋ Work · 12s · 1 tool call',
      '  ◐ waits for you: permission to rm -rf',
      '  ⎿ rm',
    ])
    expect(rows(fold(started('a', 'Work'), asks, { ...asks, reason: null }))).toEqual([
      '⠋ Work · 12s · 0 tool calls',
    ])
    expect(rows(fold(started('a', 'Work'), asks, ended('a', 2000)))).toEqual([
      '✓ Work · 2s · 0 tool calls · 2 turns',
    ])
  })

  it('colours what stands for the state', () => {
    const [head] = subagentRows(fold(started('a', 'Work'), ended('a', 1000)), {
      now: 0,
      frame: 0,
      width: 80,
      palette: createPalette(true),
    })
    expect(head).toBe('\u001b[32m✓\u001b[39m Work\u001b[2m · 1s · 0 tool calls · 2 turns\u001b[22m')
  })

  it('leaves calls out first where the terminal is low, then counts the subagents that it can’t show', () => {
    expect(rows(fold(...NESTED), 80, { height: 4 })).toHaveLength(4)
    expect(rows(fold(...NESTED), 80, { height: 2 })).toEqual([
      '⠋ Researching API endpoints · 12s · 2 tool calls',
      '  ⠋ Reading the tests · 8s · 1 tool call',
    ])
    expect(rows(fold(...NESTED, started('c', 'Other')), 80, { height: 2 })).toEqual([
      '⠋ Researching API endpoints · 12s · 2 tool calls',
      '… 2 more',
    ])
  })

  it('keeps apart those that run at the same time, and ignores what comes of nobody, or after the end', () => {
    const tree = fold(
      started('a', 'One'),
      started('b', 'Two'),
      tool('b', 'read'),
      tool('nobody', 'read'),
      ended('a', 3000),
      tool('a', 'late'),
      ended('a', 9000),
    )
    expect(rows(tree)).toEqual([
      '✓ One · 3s · 0 tool calls · 2 turns',
      '⠋ Two · 12s · 1 tool call',
      '  ⎿ read',
    ])
  })

  it('is never wider or higher than it may be, whatever is reported', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        fc.constantFrom('日', '👩‍💻', 'e\u0301', '\u001b', '\n'),
      ),
      maxLength: 40,
    })
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const event = fc.oneof(
      fc.record({
        kind: fc.constant('started'),
        id,
        at: fc.nat(),
        parent: fc.option(id),
        mode: fc.constant('spawn'),
        description: text,
      }),
      fc.record({
        kind: fc.constant('tool'),
        ...{
          id,
          at: fc.nat(),
          tool: text,
          detail: text,
          phase: fc.constantFrom('started', 'ended'),
          status: fc.option(fc.constantFrom('failed', 'completed')),
        },
      }),
      fc.record({ kind: fc.constant('waiting'), id, at: fc.nat(), reason: fc.option(text) }),
      fc.record({
        kind: fc.constant('ended'),
        id,
        at: fc.nat(),
        success: fc.boolean(),
        turns: fc.option(fc.nat()),
        reason: fc.option(text),
      }),
    ) as fc.Arbitrary<SubagentEvent>
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 12 }),
        (events, width, height) => {
          const shown = rows(fold(...events), width, { height })
          expect(Math.max(0, ...shown.map(displayWidth))).toBeLessThanOrEqual(width)
          expect(shown.length).toBeLessThanOrEqual(height)
        },
      ),
    )
  })
})

it('shows the same in lines that are not redrawn, as deep as they are', () => {
  expect(progressLine('    ⎿ read\u001b[2J a\nb')).toBe('    ⎿ read a b')
})
