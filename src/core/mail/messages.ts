import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Approvals } from '../questions/approvals.ts'
import { parseCompletion } from '../../domain/formats/completion-message.ts'
import type { BlockingCalls } from '../turns/blocking-calls.ts'
import type { Messages, Urgency } from './message-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import { cliNow } from '../agents/programs.ts'
import type { Deps } from '../deps.ts'
import { createInbox } from '../inbox/inbox.ts'
import { actorOf, findAgent, requireAlive } from '../agents/directory.ts'
import { REPORTED } from '../../domain/lifecycle.ts'
import type { Mailbox } from './mailbox.ts'
import type { States } from '../agents/states.ts'

export function createMessages({
  store,
  publisher,
  outbox,
  clock,
  settings,
  states,
  approvals,
  questions,
  notes,
  mailbox,
  blockingCalls,
}: Pick<Deps, 'store' | 'publisher' | 'outbox' | 'clock' | 'settings'> & {
  states: Pick<States, 'change'>
  blockingCalls: Pick<BlockingCalls, 'given'>
  approvals: Approvals
  questions: Pick<Messages, 'question' | 'answer'>
  notes: Pick<Messages, 'note'>
  mailbox: Mailbox
}): Messages {
  /** A person’s words: injected as they are. */
  const say = async (
    tx: StoreTransaction,
    to: Agent,
    message: string,
    { raw, urgency }: { raw: boolean; urgency: Urgency },
  ) => {
    await publisher.publish(
      {
        type: 'message',
        agentId: to.id,
        actor: 'human',
        payload: { message, ...(raw ? { raw } : {}), ...(urgency !== undefined && { urgency }) },
      },
      tx,
    )
  }

  /**
   * Its program does not report that its turns end: a completion message is all that there is.
   * Asked beforehand, because a transaction must not wait.
   */
  const endsTurn = async (
    { kind, agent }: Caller,
    to: Agent,
    message: string,
  ): Promise<boolean> => {
    if (kind !== 'agent' || agent.parentId !== to.id || parseCompletion(message) === undefined)
      return false
    return (await cliNow(settings, agent))?.reportsState === false
  }

  /** Who gives it more to do begins its next turn, where nobody else would report it. */
  const begins = async (tx: StoreTransaction, from: Caller, to: Agent): Promise<void> => {
    if (from.kind === 'agent' && to.parentId !== from.agent.id) return
    tx.afterCommit(() => blockingCalls.given(to.id))
    const onlyIf = ({ state, stateReason }: Agent): boolean =>
      state === 'idle' && stateReason === REPORTED
    await states.change(to.id, { to: 'running', source: 'tool', actor: actorOf(from), onlyIf }, tx)
  }

  return {
    question: questions.question,
    answer: questions.answer,

    note: notes.note,

    send: async (caller, address, message, { raw = false, urgency, once } = {}) => {
      if (raw && caller.kind !== 'human')
        throw new ExomonadError('NOT_ALLOWED', 'Only a person sends raw text. Leave raw out.', {
          field: 'raw',
        })
      const to = await findAgent(store.agents, address)
      if (caller.kind === 'agent' && to.id === caller.agent.id)
        throw new ExomonadError(
          'INVALID_ARG',
          'That is yourself. Send to another agent, or just write it down.',
          { to: to.id },
        )
      if (message.trim() === '')
        throw new ExomonadError('INVALID_ARG', 'The message is empty.', { to: to.id })
      if (to.kind !== 'root') requireAlive(to, 'send to')
      if (to.kind === 'process')
        throw new ExomonadError(
          'INVALID_ARG',
          `${to.name} is a background task, which reads no messages. write_stdin (\`exomonad stdin\`) writes to its standard input.`,
          {
            to: to.id,
          },
        )
      const result = { status: 'sent' as const, to: to.id }
      const isOver = await endsTurn(caller, to, message)
      await store.transaction(async (tx) => {
        if (caller.kind === 'human') await say(tx, to, message, { raw, urgency })
        else await mailbox.sendIn(tx, caller.agent, to, message, urgency)
        if (urgency === undefined) await begins(tx, caller, to)
        if (isOver)
          await states.change(
            caller.agent.id,
            { to: 'idle', reason: REPORTED, source: 'tool', actor: caller.agent.id },
            tx,
          )
        await once?.mark(tx, result)
      })
      return result
    },

    checkMail: async (caller, peek, take) => {
      const { id } = caller.agent
      const mails = peek
        ? await store.mail.peek(id)
        : await store.transaction((tx) => mailbox.take(tx, id))
      if (!peek && mails.length > 0) {
        const receipt = mailbox.receiptOf(mails)
        if (take === undefined) await receipt.confirm()
        else take(receipt)
      }
      const senders = await Promise.all(
        [...new Set(mails.map(({ from }) => from))].map((from) => store.agents.get(from)),
      )
      const names = new Map(senders.map((agent) => [agent?.id, agent?.name]))
      return {
        messages: mails.map(({ from, message, sentAt }) => ({
          from,
          name: names.get(from) ?? from,
          message,
          sent_at: sentAt,
        })),
      }
    },

    ack: async (caller, ids) => {
      const acked = await outbox.ack(caller.agent.id, ids)
      return { acked, unknown: ids.filter((id) => !acked.includes(id)) }
    },

    read: async (caller, id) => {
      const message = await outbox.read(caller.agent.id, id)
      if (message === undefined) {
        throw new ExomonadError(
          'INVALID_ARG',
          `There is no message ${id} to ${caller.agent.name}. Give an id that stands in square brackets in what you were sent.`,
          {
            field: 'id',
            found: id,
          },
        )
      }
      return { id, message }
    },

    inbox: createInbox({ store, clock, mailbox }),

    decide: (id, decision, reason) => approvals.decide(id, decision, reason),
  }
}
