import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { statusLayer, type StatusRow } from '../../../../../src/surfaces/cli/agents/status-layer.ts'
import { displayWidth } from '../../../../../src/surfaces/text/width.ts'

const palette = createPalette(false)
const row = (
  name: string,
  status: StatusRow['status'],
  tool_calls: number,
  tokens: number,
): StatusRow => ({ name, status, tool_calls, tokens })
const SAMPLE = [
  row('file-reader', 'running', 22, 13_000),
  row('code-analyzer', 'received', 13, 11_000),
  row('test-runner', 'idle', 9, 14_000),
  row('scratch', 'dead', 2, 1000),
]

const names = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('日', '👩‍💻', 'e\u0301', '\u001b'),
  ),
  maxLength: 40,
})
const rows = fc.array(
  fc.record({
    name: names,
    status: fc.constantFrom('running', 'received', 'idle', 'dead'),
    tool_calls: fc.nat(),
    tokens: fc.nat(),
  }) as fc.Arbitrary<StatusRow>,
  { maxLength: 30 },
)

describe('the status layer', () => {
  it('has a line per agent, in the order asked, and a rule over the whole width below', () => {
    expect(statusLayer(SAMPLE, { width: 56, palette })).toEqual([
      '  file-reader      ◐ running    22 calls  13k tokens',
      '  code-analyzer    ✓ received   13 calls  11k tokens',
      '  test-runner      ○ idle        9 calls  14k tokens',
      '  scratch          ✗ dead        2 calls   1k tokens',
      '────────────────────────────────────────────────────────',
    ])
  })

  it('says one call and one token, and shortens thousands and millions', () => {
    const lines = statusLayer(
      [row('a', 'idle', 1, 1), row('b', 'idle', 1234, 1_200_000), row('c', 'idle', 0, 999)],
      { width: 80, palette },
    )
    expect(lines.slice(0, 3)).toEqual([
      '  a    ○ idle          1 call      1 token',
      '  b    ○ idle       1.2k calls  1.2M tokens',
      '  c    ○ idle          0 calls   999 tokens',
    ])
    expect(statusLayer([row('a', 'running', 1, 12)], { width: 80, palette })[0]).toBe(
      '  a    ◐ running    1 call  12 tokens',
    )
  })

  it('colours what stands for the state, and nothing else', () => {
    const [running, received, idle, dead] = statusLayer(SAMPLE, {
      width: 80,
      palette: createPalette(true),
    })
    expect(running).toBe('  file-reader      \u001b[36m◐ running\u001b[39m    22 calls  13k tokens')
    expect(received).toContain('\u001b[32m✓ received\u001b[39m')
    expect(idle).toContain('\u001b[2m○ idle\u001b[22m')
    expect(dead).toContain('\u001b[31m✗ dead\u001b[39m')
  })

  it('keeps columns below each other where names are wide, and cuts those that are too long', () => {
    const lines = statusLayer(
      [row('日本語', 'running', 1, 1), row('a'.repeat(100), 'idle', 1, 1)],
      { width: 60, palette },
    )
    expect(lines[0]).toMatch(/^ {2}日本語 +◐ running/)
    expect(lines[1]).toMatch(/^ {2}a+… {4}○ idle/)
    expect(displayWidth(lines[0]?.split('◐')[0] ?? '')).toBe(
      displayWidth(lines[1]?.split('○')[0] ?? ''),
    )
    expect(lines.map(displayWidth)).toEqual([60, 60, 60])
  })

  it('leaves numbers out where there is no room for them', () => {
    expect(statusLayer(SAMPLE, { width: 36, palette })[0]).toBe(
      '  file-…       ◐ running    22 calls',
    )
    expect(statusLayer(SAMPLE, { width: 30, palette })[0]).toBe('  file-reader      ◐ running')
  })

  it('counts those for which there are not lines enough, and keeps the ones that still run', () => {
    const many = Array.from({ length: 200 }, (_row, index) =>
      row(`n${index}`, index === 150 ? 'running' : index % 2 === 0 ? 'received' : 'dead', 3, 3),
    )
    const lines = statusLayer(many, { width: 80, palette, height: 6 })
    expect(lines.map((line) => line.trim().split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
      'n0 ✓ received',
      'n1 ✗ dead',
      'n2 ✓ received',
      'n150 ◐ running',
      '… 196 more: 97 received, 99 dead',
      '─'.repeat(80),
    ])
  })

  it('is nothing where nobody is waited for', () => {
    expect(statusLayer([], { width: 80, palette })).toEqual([])
  })

  it('never is wider or higher than it may be, and hands no control characters on', () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 3, max: 40 }),
        (agents, width, height) => {
          const lines = statusLayer(agents, { width, height, palette })
          expect(lines.length).toBeLessThanOrEqual(height)
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width)
            // oxlint-disable-next-line no-control-regex -- none may be there
            expect(line).not.toMatch(/[\u0000-\u001f]/)
          }
        },
      ),
    )
  })
})
