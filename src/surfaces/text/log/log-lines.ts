import type { WireEvent } from '../../client.ts'
import { eventLines } from '../event-line.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { cut } from '../width.ts'
import { renderFacts } from '../table.ts'
import { dayOf, minuteOf, spanWords, spentWords, waitedWords } from './log-words.ts'
import type { LogSummary } from './summary.ts'

interface LogOptions {
  readonly palette: Palette
  /** Columns; without, no line is cut or folded. */
  readonly width?: number | undefined
}

/** What came of the time since then, in a few lines. */
export function summaryLines(
  { merged, failed, waited_for_you: waited, spent }: LogSummary,
  { since, now }: { readonly since: number; readonly now: number },
  { palette, width = Number.POSITIVE_INFINITY }: LogOptions,
): string[] {
  const list = (count: number, names: readonly string[]): string =>
    count === 0 ? '0' : `${count}: ${names.join(', ')}`
  const values: [string, string, (text: string) => string][] = [
    [
      'merged',
      list(
        merged.length,
        merged.map((number) => `#${number}`),
      ),
      palette.special,
    ],
    ['failed', list(failed.length, failed.map(printableLine)), palette.bad],
    ['waited for you', waitedWords(waited), palette.attention],
    ['spent', spentWords(spent), (text) => text],
  ]
  const label = Math.max(...values.map(([name]) => name.length)) + 2
  return [
    palette.bold(`Since ${dayOf(since)} ${minuteOf(since)} (${spanWords((now - since) / 1000)})`),
    ...renderFacts(
      values.map(([name, value, paint]) => {
        const text = cut(value, Math.max(1, width - label))
        return [
          name,
          value === '0' || value === 'nothing' ? palette.dim(text) : paint(text),
        ] as const
      }),
      palette,
    ),
  ]
}

/**
 * What happened, in words, with a line where a day begins. `before`: the day of what is shown above
 * already.
 */
export function happenedLines(
  events: readonly WireEvent[],
  nameOf: (event: WireEvent) => string | null,
  { before = '', ...options }: LogOptions & { readonly before?: string },
): string[] {
  let day = before
  return events.flatMap((event) => {
    const lines = eventLines(event, nameOf(event), options)
    const on = dayOf(event.at)
    if (on === day) return lines
    day = on
    return [options.palette.dim(`── ${on} ──`), ...lines]
  })
}
