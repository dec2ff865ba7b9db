import type { WireEvent } from '../client.ts'
import { definitionOf } from '../../events/event.ts'
import type { Colour } from './palette.ts'
import { printableLine } from './printable.ts'

/** What happened, in words on one line, and the sign that stands before them. */
export function describeEvent(event: WireEvent): {
  readonly sign: string
  readonly colour: Colour
  readonly text: string
} {
  const [sign, colour, words] = describe(event)
  const why = event.why === null ? '' : ` (${printableLine(event.why)})`
  return { sign, colour, text: `${words}${why}` }
}

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
