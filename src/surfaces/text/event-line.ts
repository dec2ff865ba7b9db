import type { WireEvent } from '../client.ts'
import { definitionOf } from '../../events/event.ts'
import { ALL_EVENTS } from '../../events/all.ts'
import { describeEvent } from './event-words.ts'
import { fold } from './fold.ts'
import type { Palette } from './palette.ts'
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
  const { sign, colour, text } = describeEvent(event)
  const who = pad(cut(printableLine(name ?? 'daemon'), 16), 16)
  return {
    before: `${palette.dim(timeOfDay(event.at))} ${palette.bold(who)} ${palette[colour](sign)} `,
    text,
  }
}

/** Shown in the log, and not beside a live tree: it would push out what matters. */
/** Types of all that matters: what is shown where nothing else is asked for. */
export const MAJOR_TYPES: readonly string[] = ALL_EVENTS.filter(({ minor }) => minor !== true).map(
  ({ type }) => type,
)

export const isMinor = ({ type }: WireEvent): boolean => definitionOf(type)?.minor === true
