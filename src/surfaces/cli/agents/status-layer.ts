import type { WaitStatus } from '../../../core/mail/agent-waits.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { shortCount } from '../../text/quantity.ts'
import { cut, displayWidth, pad } from '../../text/width.ts'

/** An agent that is waited for, as `fan_in` reports it. */
export interface StatusRow {
  readonly name: string
  readonly status: WaitStatus
  readonly tool_calls: number
  readonly tokens: number
}

export interface StatusLayerOptions {
  /** Columns of the terminal; no line is wider, and the rule is as wide. */
  readonly width: number
  readonly palette: Palette
  /**
   * At most so many lines (three at least), the rule among them: where not all fit, those that
   * still run stay, and the others are counted.
   */
  readonly height?: number
}

export const STATUSES: Readonly<
  Record<WaitStatus, { readonly text: string; readonly colour: keyof Palette }>
> = {
  running: { text: '◐ running', colour: 'active' },
  received: { text: '✓ received', colour: 'good' },
  idle: { text: '○ idle', colour: 'dim' },
  dead: { text: '✗ dead', colour: 'bad' },
}

const INDENT = '  '
export const STATUS_WIDTH = Math.max(
  ...Object.values(STATUSES).map(({ text }) => displayWidth(text)),
)
const GAPS = { status: '    ', calls: '   ', tokens: '  ' } as const
/** Of a name at least so much is shown before numbers are left out for it. */
const NAME_KEPT = 8

/**
 * How the agents stand that somebody waits for, a line each in the order given, and a rule below.
 * Nothing where there is none.
 */
export function statusLayer(
  rows: readonly StatusRow[],
  { width, palette, height = Infinity }: StatusLayerOptions,
): string[] {
  if (rows.length === 0) return []
  const shown = fitting(rows, Math.max(1, height - 1))
  const names = shown.map(({ name }) => printableLine(name))
  const longest = Math.max(...names.map(displayWidth))
  const numbers = [
    { gap: GAPS.calls, cells: quantities(shown, ({ tool_calls }) => tool_calls, 'call') },
    { gap: GAPS.tokens, cells: quantities(shown, ({ tokens }) => tokens, 'token') },
  ]
  const room = (): number =>
    width -
    INDENT.length -
    GAPS.status.length -
    STATUS_WIDTH -
    numbers.reduce((sum, { gap, cells }) => sum + gap.length + displayWidth(cells[0] ?? ''), 0)
  while (numbers.length > 0 && room() < Math.min(longest, NAME_KEPT)) numbers.pop()
  const nameWidth = Math.max(1, Math.min(longest, room()))

  const lines = shown.map(({ status }, index) => {
    const { text, colour } = STATUSES[status]
    const before = `${INDENT}${pad(cut(names[index] ?? '', nameWidth), nameWidth)}${GAPS.status}`
    const after = numbers.map(({ gap, cells }) => gap + (cells[index] ?? '')).join('')
    const plain = `${before}${pad(text, STATUS_WIDTH)}${after}`.trimEnd()
    if (displayWidth(plain) > width) return cut(plain, width)
    return `${before}${palette[colour](text)}${plain.slice(before.length + text.length)}`
  })
  const hidden = rows.filter((row) => !shown.includes(row))
  const rest =
    hidden.length === 0
      ? []
      : [palette.dim(cut(`${INDENT}… ${hidden.length} more: ${countsOf(hidden)}`, width))]
  return [...lines, ...rest, '─'.repeat(Math.max(0, width))]
}

/**
 * Those that fit in so many lines, in their order; where not all do, one line is left for a
 * summary of the others.
 */
function fitting(rows: readonly StatusRow[], lines: number): readonly StatusRow[] {
  if (rows.length <= lines) return rows
  const kept = new Set(
    rows
      .toSorted(
        (one, other) => Number(other.status === 'running') - Number(one.status === 'running'),
      )
      .slice(0, Math.max(1, lines - 1)),
  )
  return rows.filter((row) => kept.has(row))
}

const countsOf = (rows: readonly StatusRow[]): string =>
  (Object.keys(STATUSES) as WaitStatus[])
    .map((status) => ({ status, count: rows.filter((row) => row.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`)
    .join(', ')

/** `22 calls`, ` 1 call `: digits stand below digits. */
function quantities(
  rows: readonly StatusRow[],
  of: (row: StatusRow) => number,
  unit: string,
): string[] {
  const counts = rows.map((row) => shortCount(of(row)))
  const units = rows.map((row) => (of(row) === 1 ? unit : `${unit}s`))
  const [digits, letters] = [counts, units].map((texts) =>
    Math.max(...texts.map((text) => text.length)),
  ) as [number, number]
  return counts.map(
    (count, index) => `${pad(count, digits, 'start')} ${pad(units[index] ?? '', letters)}`,
  )
}
