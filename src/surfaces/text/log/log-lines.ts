import type { WireEvent } from '../../client.ts'
import { eventLines } from '../event-line.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { plural, shortCount, shortMoney } from '../quantity.ts'
import { cut } from '../width.ts'
import { renderFacts } from '../table.ts'
import type { LogSummary } from './summary.ts'

interface LogOptions {
  readonly palette: Palette
  /** Columns; without, no line is cut or folded. */
  readonly width?: number | undefined
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Thu 26 Nov`, in local time. */
export const dayOf = (at: number): string => {
  const date = new Date(at)
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`
}

const minuteOf = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** `1h 12m`, `3m`, `20s`: what was long is said to the minute. */
export function spanWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${Math.floor(seconds)}s`
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes}m`
  return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
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

function waitedWords({ seconds, count, open }: LogSummary['waited_for_you']): string {
  if (count === 0) return '0'
  const now = open === 0 ? '' : `, ${open} of them still (exomonad inbox)`
  return `${spanWords(seconds)} in ${plural(count, 'wait')}${now}`
}

function spentWords(spent: LogSummary['spent']): string {
  const { agents, tokens, cost_usd: cost, unpriced_models: unpriced, others } = spent
  const beside =
    others === 0 ? '' : `${plural(others, 'agent')} from before worked too, how much is not known`
  if (tokens === 0) return beside === '' ? 'nothing' : beside
  const money =
    cost === null
      ? ''
      : `, ${shortMoney(cost)}${unpriced.length > 0 ? ` and ${unpriced.map(printableLine).join(', ')} without a price` : ''}`
  return `${shortCount(tokens)} tokens${money} by ${plural(agents, 'agent')} started since${beside === '' ? '' : `; ${beside}`}`
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
