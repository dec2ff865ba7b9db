import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Delivery } from '../domain/records.ts'
import type { DeliveryId } from '../domain/ids.ts'
import { definitionOf } from '../events/event.ts'
import { cap } from './render/escape.ts'

/**
 * Begins the reason of a delivery whose agent is gone: the next in line must know that it was not
 * meant for him.
 */
export const MEANT_FOR = 'meant for '

/** Of a person’s words that are to reach the program as they are (`send --raw`). */
export const RAW = 'message.raw'

export type Waiting = Pick<Delivery, 'id' | 'kind' | 'text' | 'why' | 'eventSeq' | 'reach'>

const isPersonal = ({ kind }: Waiting): boolean => definitionOf(kind)?.personal === true
const isForAnother = ({ why }: Waiting): boolean => why?.startsWith(MEANT_FOR) === true
const worded = (waiting: Waiting): string =>
  isForAnother(waiting) ? `[UNDELIVERED] ${waiting.why}:\n${waiting.text}` : waiting.text

/** What is carried along: so many lines at most, the newest, each of so many characters. */
const LINES = 10
const LINE = 240
const HEADING = 'Besides, with nothing to do for it:'

const whereWhole = ({ eventSeq }: Waiting): string =>
  eventSeq === null ? '`exomonad events --json`' : `\`exomonad events --json\`, event ${eventSeq}`

/** What somebody wrote is carried whole, what happened as one line. */
function digestOf(carried: readonly Waiting[]): string {
  const line = (waiting: Waiting): string => {
    const meant = isForAnother(waiting) ? ` (${waiting.why})` : ''
    const [first = '', ...more] = waiting.text.split('\n')
    if (isPersonal(waiting)) return `- ${[first, ...more].join('\n  ')}${meant}`
    return `- ${cap(first, { max: LINE, keep: 'start', whole: whereWhole(waiting) })}${meant}`
  }
  const cut = Math.max(0, carried.length - LINES)
  return [
    HEADING,
    ...(cut > 0 ? [`- ${cut} older: \`exomonad events --json\``] : []),
    ...carried.slice(cut).map(line),
  ].join('\n')
}

/**
 * As many of the waiting deliveries as fit into one message, at least the first; the others are for
 * the next. What is carried along comes last, as one digest. With `acks` a last line names their
 * ids, for the agent to confirm. `inert`: of the agent’s program.
 */
export function composeMessage(
  waiting: readonly Waiting[],
  options: { maxChars: number; acks: boolean; inert: AgentCli['inert'] },
): { ids: DeliveryId[]; text: string } {
  const texts: string[] = []
  const ids: DeliveryId[] = []
  let length = 0
  /** False where it has no room, but for the first. */
  const add = (text: string, of: readonly Waiting[]): boolean => {
    const idsLength = [...ids, ...of.map(({ id }) => id)].reduce(
      (sum, id) => sum + id.length + 1,
      3,
    )
    const room = options.maxChars - (options.acks ? idsLength : 0)
    if (ids.length > 0 && length + 2 + text.length > room) return false
    const [first] = of
    texts.push(
      text.length > room && first !== undefined
        ? cap(text, { max: Math.max(room - 100, 100), keep: 'start', whole: whereWhole(first) })
        : text,
    )
    ids.push(...of.map(({ id }) => id))
    length += text.length + 2
    return true
  }
  const carried = waiting.filter(({ reach }) => reach === 'carry')
  const whole = waiting
    .filter(({ reach }) => reach !== 'carry')
    .every((delivery) =>
      // What was meant for another agent’s program is text for this one.
      add(
        delivery.kind === RAW && !isForAnother(delivery)
          ? worded(delivery)
          : options.inert(worded(delivery)),
        [delivery],
      ),
    )
  if (whole && carried.length > 0) add(options.inert(digestOf(carried)), carried)
  const text = texts.join('\n\n')
  return { ids, text: options.acks && ids.length > 0 ? `${text}\n[${ids.join(' ')}]` : text }
}

/** Whether a program would mangle or distrust a paste of this. */
export const isTooLong = (
  text: string,
  limit: { readonly lines: number; readonly chars: number } | null,
): boolean => limit !== null && (text.length > limit.chars || text.split('\n').length > limit.lines)

const FIRST_WORDS = 80

/** How an agent reads messages whose text did not come. */
export const readCalls = (ids: readonly string[]): string =>
  ids.map((id) => `read_message {"id":"${id}"}`).join(' and ')

/** One line that stands for a message: the answer of the prompt hook brings the message itself. */
export function pointerTo(text: string, ids: readonly DeliveryId[]): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const first =
    line.length <= FIRST_WORDS ? line : `${line.slice(0, FIRST_WORDS).replace(/\s\S*$/, '')}…`
  return `[exomonad] ${first} — the whole message comes with this prompt; if you don’t see it, call ${readCalls(ids)} [${ids.join(' ')}]`
}

/** Whether a screen still shows the id; programs break lines and draw boxes as they like. */
export const shows = (screen: string, id: DeliveryId): boolean =>
  screen.replace(/[\s│┃|]/g, '').includes(id)
