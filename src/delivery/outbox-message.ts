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
/** Of what is sent a second time. It is kept from then on, or a restart would send it a third time. */
export const NOT_ARRIVED = 'it had not arrived: neither its conversation nor its screen shows it'

/** Of a person’s words that are to reach the program as they are (`send --raw`). */
export const RAW = 'message.raw'

export type Waiting = Pick<Delivery, 'id' | 'kind' | 'text' | 'why' | 'eventSeq' | 'reach'>

/** In these somebody’s words stand, beside those that are personal. */
const WORDS: ReadonlySet<string> = new Set([
  'agent.completed',
  'pr.comment',
  'pr.review',
  'pr.thread_comment',
])
/** Somebody’s words, which are carried whole, and go on to the next in line. */
export const isWritten = ({ kind }: Pick<Waiting, 'kind'>): boolean =>
  WORDS.has(kind) || definitionOf(kind)?.personal === true
const isForAnother = ({ why }: Waiting): boolean => why?.startsWith(MEANT_FOR) === true
const worded = (waiting: Waiting): string =>
  isForAnother(waiting) ? `[UNDELIVERED] ${waiting.why}:\n${waiting.text}` : waiting.text

/** News that is carried along: so many lines at most, the newest, each of so many characters. */
const LINES = 10
const LINE = 240
/** So many at once, the newest: each needs room for its id. Older news is for the next message. */
const NEWS = 50
const HEADING = 'Besides, with nothing to do for it:'

const whereWhole = ({ eventSeq }: Waiting): string =>
  eventSeq === null ? '`exomonad events --json`' : `\`exomonad events --json\`, event ${eventSeq}`

/** The first line of each, of as many of the newest as fit into `room`; null where none does. */
function digestOf(carried: readonly Waiting[], room: number): string | null {
  const line = (waiting: Waiting): string => {
    const meant = isForAnother(waiting) ? ` (${waiting.why})` : ''
    const [first = ''] = waiting.text.split('\n')
    return `- ${cap(first, { max: LINE, keep: 'start', whole: whereWhole(waiting) })}${meant}`
  }
  for (let shown = Math.min(carried.length, LINES); shown > 0; shown -= 1) {
    const cut = carried.length - shown
    const digest = [
      HEADING,
      ...(cut > 0 ? [`- ${cut} older: \`exomonad events --json\``] : []),
      ...carried.slice(cut).map(line),
    ].join('\n')
    if (digest.length <= room) return digest
  }
  return null
}

/**
 * As many of the waiting deliveries as fit into one message, at least the first; the others are for
 * the next. What is carried along comes last: what somebody wrote whole, news as one digest. With
 * `acks` a last line names their ids, for the agent to confirm. `inert`: of the agent’s program.
 */
export function composeMessage(
  waiting: readonly Waiting[],
  options: { maxChars: number; acks: boolean; inert: AgentCli['inert'] },
): { ids: DeliveryId[]; text: string } {
  const texts: string[] = []
  const ids: DeliveryId[] = []
  let length = 0
  const roomFor = (of: readonly Waiting[]): number => {
    const all = [...ids, ...of.map(({ id }) => id)]
    const idsLength = options.acks ? all.reduce((sum, id) => sum + id.length + 1, 3) : 0
    return options.maxChars - idsLength - (length === 0 ? 0 : length + 2)
  }
  const push = (text: string, of: readonly Waiting[]): void => {
    length += text.length + (texts.length === 0 ? 0 : 2)
    texts.push(text)
    ids.push(...of.map(({ id }) => id))
  }
  /** False where it has no room, but for the first. */
  const add = (delivery: Waiting): boolean => {
    // What was meant for another agent’s program is text for this one.
    const text =
      delivery.kind === RAW && !isForAnother(delivery)
        ? worded(delivery)
        : options.inert(worded(delivery))
    const room = roomFor([delivery])
    if (ids.length > 0 && text.length > room) return false
    const max = Math.max(room - 100, 100)
    push(
      text.length > room ? cap(text, { max, keep: 'start', whole: whereWhole(delivery) }) : text,
      [delivery],
    )
    return true
  }
  const carried = waiting.filter(({ reach }) => reach === 'carry')
  const whole = [
    ...waiting.filter(({ reach }) => reach !== 'carry'),
    ...carried.filter(isWritten),
  ].every(add)
  const news = carried.filter((delivery) => !isWritten(delivery)).slice(-NEWS)
  // A program that inserts characters needs room for them.
  const digest = whole && news.length > 0 ? digestOf(news, roomFor(news) * 0.9) : null
  if (digest !== null) push(options.inert(digest), news)
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

/**
 * One line that stands for a message: the answer of the prompt hook brings the message itself. It
 * names the first delivery alone, by which all are found: it must not be too long as well.
 */
export function pointerTo(text: string, ids: readonly DeliveryId[]): string {
  const named = ids.slice(0, 1)
  const line = text.replace(/\s+/g, ' ').trim()
  const first =
    line.length <= FIRST_WORDS ? line : `${line.slice(0, FIRST_WORDS).replace(/\s\S*$/, '')}…`
  return `[exomonad] ${first} — the whole message comes with this prompt; if you don’t see it, call ${readCalls(named)} [${named.join(' ')}]`
}

/** Whether a screen still shows the id; programs break lines and draw boxes as they like. */
export const shows = (screen: string, id: DeliveryId): boolean =>
  screen.replace(/[\s│┃|]/g, '').includes(id)
