import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RadarPair } from '../../../../../../src/core/radar/radar-use-cases.ts'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import { createFrame } from '../../../../../../src/surfaces/cli/console/frame.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'
import { node } from '../../../text/sample-tree.ts'
import { drive } from '../drive.ts'

const a = node('main.a', { conflicts: ['b'] })
const b = node('main.b', { conflicts: ['a'] })
const c = node('main.c')

const pair = (one: string, other: string, ...files: string[]): RadarPair => ({
  ...{ a: one, b: other, files },
  status: files.length > 0 ? 'conflict' : 'clean',
})
const PAIRS: RadarPair[] = [
  pair('a', 'b', 'src/x.ts', 'src/y.ts'),
  { ...pair('a', 'c'), status: 'unknown' },
  pair('a', 'main'),
  pair('b', 'c', 'c.md'),
  pair('b', 'main'),
  pair('c', 'main'),
]
const none = { new_path: null, binary: false }
const side = (text: string) => ({
  ...none,
  change: 'modified' as const,
  hunks: [{ base: [2, 1], own: [2, 1], text: ['-two', `+${text}`] }],
})
const detailOf = ({ a: one, b: other }: { a: string; b: string }) => ({
  pair: {
    ...{ a: one, b: other, status: 'conflict', why: null, skipped: { a: [], b: [] } },
    files: [{ path: 'src/x.ts', first: 'b', a: side('of a'), b: side('of b') }],
  },
  at: 0,
})

/** The overview of three agents, and what the daemon says of their work. */
function watching(radar: (input: any) => unknown = (input) => answer(input)) {
  const console = drive([a, b, c], { scrollback: () => ({}), radar })
  console.store.dispatch({ type: 'place', place: 'overview' })
  const draw = (columns = 80, rows = 24): readonly string[] =>
    createFrame()(console.store.get(), {
      ...{ columns, rows, palette: createPalette(false), now: 6_000, spin: 0 },
    }).rows
  return { ...console, draw }
}
const answer = (input: any, pairs: readonly RadarPair[] = PAIRS) =>
  input.b === undefined ? { pairs, at: 0 } : detailOf(input)

describe('conflicts in the console', () => {
  it('marks agents in the list whose work would conflict', () => {
    const rows = watching().draw()
    const marked = rows.filter((row) => row.includes('⚠'))
    expect(marked.map((row) => /(\w) ⚠ /.exec(row)?.[1])).toEqual(['a', 'b'])
    expect(rows.some((row) => / c +◐ running/.test(row))).toBe(true)
  })

  it('shows who × who, what needs somebody first, and the selected pair in both', async () => {
    const console = watching()
    console.type('c')
    expect(console.draw().join('\n')).toContain('Looking at all worktrees')
    await console.settled()
    const rows = console.draw()
    expect(rows).toContain('6 pairs, 2 would conflict · 6s ago')
    expect(rows).toContain('a  [⚠ 2 files]  ?         ✓')
    const list = ['▶ ⚠ a × b: src/x.ts, src/y.ts', '  ⚠ b × c: c.md', '  ? a × c', '  ✓ a × main']
    const at = rows.indexOf(list[0]!)
    expect(rows.slice(at, at + 4)).toEqual(list)
    console.press('down')
    expect(console.draw()).toContain('▶ ⚠ b × c: c.md')
    expect(console.draw().some((row) => /^b +\[⚠ 1 file\]/.test(row))).toBe(true)
    console.type('G')
    expect(console.draw()).toContain('▶ ✓ c × main')
    console.press('down')
    expect(console.draw()).toContain('▶ ✓ c × main')
  })

  it('shows what both did in the selected pair, and goes back step by step', async () => {
    const console = watching()
    console.type('c')
    await console.settled()
    console.press('down', 'submit')
    await console.settled()
    expect(console.calls.at(-1)).toBe('the person: radar {"a":"b","b":"c"}')
    expect(console.draw()).toEqual(
      expect.arrayContaining(['src/x.ts first touched by b', '    +of a', '    +of b']),
    )
    console.press('escape')
    expect(console.draw()).toContain('▶ ⚠ b × c: c.md')
    console.type('q')
    expect(console.store.get().overlay).toBeNull()
    expect(console.quits()).toBe(0)
  })

  it('looks again with the same pair selected', async () => {
    let pairs = PAIRS
    const console = watching((input) => answer(input, pairs))
    console.type('c')
    await console.settled()
    console.press('down')
    pairs = [pair('a', 'b'), ...PAIRS.slice(1)]
    console.type('R')
    await console.settled()
    expect(console.draw()).toContain('6 pairs, 1 would conflict · 6s ago')
    expect(console.draw()).toContain('▶ ⚠ b × c: c.md')
  })

  it('shows the pairs of one agent', async () => {
    const console = watching()
    console.line('/radar b')
    await console.settled()
    expect(console.calls).toEqual([`the person: radar {"a":"${b.id}"}`])
    console.type('R')
    await console.settled()
    expect(console.calls.at(-1)).toBe(`the person: radar {"a":"${b.id}"}`)
  })

  it('says why there is nothing, and keeps what was read before', async () => {
    let isOff = true
    const console = watching((input) => {
      if (isOff) throw new ExomonadError('NOT_AVAILABLE', 'The radar is off.')
      return answer(input)
    })
    console.type('c')
    await console.settled()
    expect(console.store.get().overlay).toBeNull()
    expect(console.draw().join('\n')).toContain('The radar is off.')
    isOff = false
    console.type('c')
    await console.settled()
    isOff = true
    console.type('R')
    await console.settled()
    expect(console.draw()).toContain('▶ ⚠ a × b: src/x.ts, src/y.ts')
    expect(console.draw().join('\n')).toContain('The radar is off.')
  })

  it('shows nothing that comes when it was closed', async () => {
    const console = watching()
    console.type('c')
    console.press('escape')
    await console.settled()
    expect(console.store.get().overlay).toBeNull()
  })

  it('shows what is asked meanwhile', async () => {
    const console = watching()
    console.type('c')
    await console.settled()
    const { id: agentId, name } = a
    console.store.dispatch({ type: 'ask', ask: { kind: 'kill', agentId, name, below: 0 } })
    expect(console.draw().join('\n')).toContain('Kill a?')
    expect(console.draw()).toHaveLength(24)
  })

  it('numbers the columns where their names have no room', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `a-longer-name-${index}`)
    const pairs = names.flatMap((one, at) => [
      ...names.slice(at + 1).map((other) => pair(one, other, ...(at === 3 ? ['x'] : []))),
      pair(one, 'main'),
    ])
    const console = watching((input) => answer(input, pairs))
    console.type('c')
    await console.settled()
    const rows = console.draw(80, 30)
    expect(rows.some((row) => /^3 a-longer-name-3 +\[⚠\] +⚠ +⚠/.test(row))).toBe(true)
    expect(rows.some((row) => /^ +1 +2 +3 .* main$/.test(row))).toBe(true)
  })

  it('keeps to the size of the terminal, with the selected pair in sight', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `name-${index}`)
    const pairs = names.flatMap((one, at) => [
      ...names.slice(at + 1).map((other) => pair(one, other, ...(at % 2 === 0 ? ['x.ts'] : []))),
      pair(one, 'main'),
    ])
    const console = watching((input) => answer(input, pairs))
    console.type('c')
    await console.settled()
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 10, max: 50 }),
        fc.integer({ min: -80, max: 80 }),
        (columns, height, by) => {
          console.store.dispatch({ type: 'radar-select', by })
          const rows = console.draw(columns, height)
          expect(rows).toHaveLength(height)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          expect(rows.filter((row) => row.startsWith('▶'))).toHaveLength(1)
        },
      ),
    )
  })
})
