import type { WireEvent } from '../client.ts'
import { definitionOf } from '../../events/event.ts'
import { ALL_EVENTS } from '../../events/all.ts'
import { fold } from './fold.ts'
import type { Colour, Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import { timeOfDay } from './relative-time.ts'
import { cut, pad } from './width.ts'

interface EventLineOptions {
  readonly palette: Palette
  /** Cut to so many columns; whole without. */
  readonly width?: number | undefined
}

/** Columns of when, about whom and the sign, with the gaps behind them. */
const BESIDE = 8 + 1 + 16 + 1 + 2

/** An event as one line: when, about whom, what. Text from agents is made printable. */
export function eventLine(
  event: WireEvent,
  name: string | null,
  { palette, width }: EventLineOptions,
): string {
  const { before, text } = parts(event, name, palette)
  return before + (width === undefined ? text : cut(text, Math.max(0, width - BESIDE)))
}

/** The same with all of its words, in as many lines as they take. */
export function eventLines(
  event: WireEvent,
  name: string | null,
  { palette, width }: EventLineOptions,
): string[] {
  const { before, text } = parts(event, name, palette)
  const [first = '', ...more] =
    width === undefined ? [text] : fold(text, Math.max(16, width - BESIDE)).split('\n')
  return [before + first, ...more.map((line) => ' '.repeat(BESIDE) + line)]
}

function parts(
  event: WireEvent,
  name: string | null,
  palette: Palette,
): { readonly before: string; readonly text: string } {
  const [symbol, colour, words] = describe(event)
  const who = pad(cut(printableLine(name ?? 'daemon'), 16), 16)
  const why = event.why === null ? '' : ` (${printableLine(event.why)})`
  return {
    before: `${palette.dim(timeOfDay(event.at))} ${palette.bold(who)} ${palette[colour](symbol)} `,
    text: `${words}${why}`,
  }
}

/** Shown in the log, and not beside a live tree: it would push out what matters. */
/** Types of all that matters: what is shown where nothing else is asked for. */
export const MAJOR_TYPES: readonly string[] = ALL_EVENTS.filter(({ minor }) => minor !== true).map(
  ({ type }) => type,
)

export const isMinor = ({ type }: WireEvent): boolean => definitionOf(type)?.minor === true

function describe({ type, payload }: WireEvent): [string, Colour, string] {
  const facts = printableFacts(payload) as Facts
  const line = definitionOf(type)?.line
  if (line !== undefined) {
    try {
      return [line[0], line[1], line[2](facts)]
    } catch {
      // A daemon of another version may carry other things under the same name.
    }
  }
  return ['·', 'dim', `${printableLine(type)} ${printableLine(JSON.stringify(payload))}`]
}

type Facts = Readonly<Record<string, unknown>>

/** All text in it made printable, each on one line. */
function printableFacts(value: unknown): unknown {
  if (typeof value === 'string') return printableLine(value)
  if (Array.isArray(value)) return value.map(printableFacts)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, printableFacts(part)]))
    : value
}
