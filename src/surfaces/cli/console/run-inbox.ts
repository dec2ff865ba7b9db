import { ExomonadError } from '../../../domain/errors.ts'
import type { Client } from '../../client.ts'
import { printableLine } from '../../text/printable.ts'
import type { Inbox } from '../../text/inbox/inbox-answer.ts'
import { itemCalled, itemsOf, type InboxItem } from './rows/inbox-rows.ts'
import type { ConsoleLine } from './input/parse-line.ts'
import type { Doing, Notify } from './doing.ts'
import type { ConsoleState } from './state.ts'

type InboxLine = Extract<ConsoleLine, { kind: 'inbox' | 'answer' | 'approve' | 'deny' }>

/** What a person does with what waits for them. `agent`: where the outcome is shown. */
export function createInboxLines(
  { store, feed, clientFor }: Doing,
  notify: Notify,
): { run(line: InboxLine, agent: string): Promise<void> } {
  const read = async (client: Client, clear = false): Promise<Inbox> => {
    // What came since it was read last, nobody saw.
    const seen = clear ? store.get().inbox?.messages.map(({ id }) => id) : undefined
    const inbox = await client.call('inbox', { clear, seen })
    store.dispatch({ type: 'inbox', inbox })
    return inbox
  }
  return {
    run: async (line, agent) => {
      const client = clientFor()
      if (line.kind === 'inbox') {
        await read(client, line.clear)
        store.dispatch({ type: 'overlay', overlay: { kind: 'inbox', selected: 0 } })
        if (line.clear) await read(client)
        return feed.wake()
      }
      // As they were seen: reading it anew may move them.
      const { numbered } = store.get()
      const kind = line.kind === 'answer' ? 'question' : 'approval'
      const item = meant(itemsOf(await read(client)), kind, line.id, numbered)
      if (line.kind === 'answer') {
        const answer = await client.call('answer_question', {
          agent: askerOf(store.get(), item.agent),
          message: line.text,
          question_id: item.id,
        })
        notify(
          agent,
          `✓ The answer is ${answer.status === 'delivered' ? 'with' : 'on its way to'} ${printableLine(item.agent)}.`,
          'good',
        )
      } else {
        await client.call(line.kind, {
          approval_id: item.id,
          ...(line.reason === undefined ? {} : { reason: line.reason }),
        })
        notify(
          agent,
          `✓ ${line.kind === 'approve' ? 'Approved' : 'Denied'}: ${printableLine(item.text)}`,
          'good',
        )
      }
      await read(client)
      feed.wake()
    },
  }
}

/**
 * What is to be decided: by its number as it was shown or the beginning of its id, else the only
 * one of its kind. INVALID_ARG where that is none.
 */
function meant(
  items: readonly InboxItem[],
  kind: 'question' | 'approval',
  called: string | undefined,
  numbered: readonly string[],
): Decidable {
  const open = items.filter((item): item is Decidable => item.kind === kind)
  const [first] = open
  if (called === undefined) {
    if (first === undefined) throw new ExomonadError('INVALID_ARG', `No ${kind} waits for you.`)
    if (open.length > 1)
      throw new ExomonadError(
        'INVALID_ARG',
        `${open.length} ${kind}s wait for you: name one by its number in /inbox.`,
      )
    return first
  }
  // Once numbers were shown, one that was not is no item that came since.
  const isNumber = numbered.length > 0 && /^\d+$/.test(called)
  const found = itemCalled(items, isNumber ? (numbered[Number(called) - 1] ?? '?') : called)
  if (found?.kind === kind) return found as Decidable
  throw new ExomonadError(
    'INVALID_ARG',
    `${printableLine(called)} is no ${kind} that waits for you. /inbox shows what does.`,
  )
}

type Decidable = Exclude<InboxItem, { kind: 'other' | 'news' }>

/** Of several by that name the one that has a question open. */
const askerOf = ({ rotation }: ConsoleState, name: string): string =>
  rotation.find((node) => node.name === name && node.open_questions > 0)?.id ?? name
