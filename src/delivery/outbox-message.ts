import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Delivery } from '../domain/records.ts'
import type { DeliveryId } from '../domain/ids.ts'
import { cap } from './render/escape.ts'

/**
 * Begins the reason of a delivery whose agent is gone: the next in line must know that it was not
 * meant for him.
 */
export const MEANT_FOR = 'meant for '

/** Of a person’s words that are to reach the program as they are (`send --raw`). */
export const RAW = 'message.raw'

export type Waiting = Pick<Delivery, 'id' | 'kind' | 'text' | 'why' | 'eventSeq'>

const isForAnother = ({ why }: Waiting): boolean => why?.startsWith(MEANT_FOR) === true
const worded = (waiting: Waiting): string =>
  isForAnother(waiting) ? `[UNDELIVERED] ${waiting.why}:\n${waiting.text}` : waiting.text

/**
 * As many of the waiting deliveries as fit into one message, at least the first; the others are for
 * the next. With `acks` a last line names their ids, for the agent to confirm. `inert`: of the
 * agent’s program.
 */
export function composeMessage(
  waiting: readonly Waiting[],
  options: { maxChars: number; acks: boolean; inert: AgentCli['inert'] },
): { ids: DeliveryId[]; text: string } {
  const texts: string[] = []
  const ids: DeliveryId[] = []
  let length = 0
  for (const delivery of waiting) {
    const room =
      options.maxChars - (options.acks ? (ids.length + 1) * (delivery.id.length + 1) + 3 : 0)
    // What was meant for another agent’s program is text for this one.
    const text =
      delivery.kind === RAW && !isForAnother(delivery)
        ? worded(delivery)
        : options.inert(worded(delivery))
    if (ids.length > 0 && length + 2 + text.length > room) break
    const whole =
      delivery.eventSeq === null
        ? '`exomonad events --json`'
        : `\`exomonad events --json\`, event ${delivery.eventSeq}`
    texts.push(
      text.length > room
        ? cap(text, { max: Math.max(room - 100, 100), keep: 'start', whole })
        : text,
    )
    ids.push(delivery.id)
    length += text.length + 2
  }
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
