import { ALL_EVENTS } from '../../../events/all.ts'
import { definitionOf } from '../../../events/event.ts'
import type { WireEvent } from '../../client.ts'
import type { Colour } from '../palette.ts'
import { printableLine } from '../printable.ts'

/** Types of all that matters: what is shown where nothing else is asked for. */
export const MAJOR_TYPES: readonly string[] = ALL_EVENTS.filter(({ minor }) => minor !== true).map(
  ({ type }) => type,
)

/** Shown in the log, and not beside a live tree: it would push out what matters. */
export const isMinor = ({ type }: WireEvent): boolean => definitionOf(type)?.minor === true

/** Its sign, how that is painted, and what happened in words, on one line. */
export function describeEvent({ type, payload }: WireEvent): [string, Colour, string] {
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
