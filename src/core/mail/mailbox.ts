import { randomUUID } from 'node:crypto'
import type { MailStore, StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent, Delivery, Mail } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import { parseCompletion } from '../../domain/formats/completion-message.ts'
import { mailIn, mailSubject } from '../../domain/formats/mail-subject.ts'
import type { Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import type { Receipt } from './receipt.ts'
import type { Urgency } from './message-use-cases.ts'
import {
  createMailNotices,
  isReported,
  isUnmanned,
  noticeGiven,
  noticeOf,
  quietKeyOf,
  unreportedKeyOf,
} from './mail-notices.ts'

/** A wait that takes mail as it comes: of these senders, or of anyone (null). */
export interface MailExpected {
  readonly to: AgentId
  readonly from: ReadonlySet<AgentId> | null
}

/** What `take` is asked for: of these senders, or these alone. */
type MailPart = NonNullable<Parameters<MailStore['pop']>[1]>

/**
 * Mail between agents: first in, first out, for each recipient. Whoever has mail is notified once
 * per batch, by a line that names the first sender: a batch ends when the box is empty. Mail that
 * an open wait will take needs no line. A completion message is delivered with its text instead,
 * unless it is taken before. All other mail of a root without a program stands in the human’s inbox
 * as well: whoever asks first has it, the inbox or who takes mail for the root, and then it is in
 * neither.
 */
export interface Mailbox {
  send(from: Agent, to: Agent, message: string): Promise<void>
  sendIn(
    tx: StoreTransaction,
    from: Agent,
    to: Agent,
    message: string,
    urgency?: Urgency,
  ): Promise<void>
  /** Takes mail out, all of it or what each of these asks for, oldest first. */
  take(tx: StoreTransaction, to: AgentId, parts?: readonly MailPart[]): Promise<Mail[]>
  /** These were read in the human’s inbox: mail that they bring is out of its box. */
  readInInbox(tx: StoreTransaction, deliveries: readonly Delivery[]): Promise<void>
  /** Of mail that a call’s result carries. */
  receiptOf(mails: readonly Mail[]): Receipt
  /**
   * From now on this takes what comes. Returns what to call when it no longer does: what is left is
   * reported as usual.
   */
  expect(wait: MailExpected): () => Promise<void>
  /** A wait that is open will take it. */
  isExpected(to: AgentId, from: AgentId): boolean
  /**
   * For a program that was started anew: mail that waits, of which the one before it may have been
   * notified.
   */
  remind(agent: Pick<Agent, 'id'>): Promise<void>
  /**
   * After a start: mail that calls of before had taken, and that nobody knows to have arrived, is
   * back in its boxes, and is reported where it was not.
   */
  recover(): Promise<void>
}

/** Whether mail needs another notice than the one there is. */
const isLouder = (urgency: Urgency, notice: Record<string, unknown> | undefined): boolean =>
  notice === undefined || (urgency === undefined && notice['urgency'] === 'info')

export function createMailbox({
  store,
  publisher,
  clock,
}: Pick<Deps, 'store' | 'publisher' | 'clock'>): Mailbox {
  const expected = new Map<AgentId, Set<MailExpected>>()
  const { notify, notifyOf, showInInbox, remind, queuedLines, queuedReports, withdraw } =
    createMailNotices({ publisher, clock })

  const isExpected = (to: AgentId, from: AgentId): boolean =>
    [...(expected.get(to) ?? [])].some((wait) => wait.from === null || wait.from.has(from))

  const isQuiet = async (tx: StoreTransaction, mail: Mail): Promise<boolean> =>
    (await tx.snapshots.get(quietKeyOf(mail))) !== undefined

  /** Notifies of what nobody was notified of yet. */
  const notifyOfRest = async (id: AgentId): Promise<void> => {
    if ((await store.mail.peek(id, { limit: 1 })).length === 0) return
    await store.transaction(async (tx) => {
      const notice = await noticeGiven(tx, id)
      if (!isLouder(undefined, notice)) return
      const unreported: Mail[] = []
      for (const mail of await tx.mail.peek(id)) {
        if (isExpected(id, mail.from)) continue
        if (notice !== undefined && (await isQuiet(tx, mail))) continue
        if (!(await isReported(tx, mail))) unreported.push(mail)
      }
      await notifyOf(tx, id, unreported)
    })
  }

  const receiptOf = (mails: readonly Mail[]): Receipt => {
    const ids = mails.map(({ id }) => id)
    return {
      confirm: () => store.mail.confirm(ids),
      giveBack: () =>
        store.transaction(async (tx) => {
          await tx.mail.giveBack(ids)
          for (const [to, back] of Map.groupBy(mails, (mail) => mail.to)) {
            // Another wait may take it instead; where that ends without it, nobody would report a
            // completion message any more.
            const isTaken = ({ from, message }: Mail): boolean =>
              isExpected(to, from) && parseCompletion(message) === undefined
            if (!back.every(isTaken)) await remind(tx, to)
            tx.afterCommit(() => void store.signal(to).catch(() => {}))
          }
        }),
    }
  }

  const sendIn: Mailbox['sendIn'] = async (tx, from, to, message, urgency) => {
    // It may have ended since it was looked up.
    if (to.kind !== 'root') requireAlive((await tx.agents.get(to.id)) ?? to, 'send to')
    const mail: Mail = { id: randomUUID(), from: from.id, to: to.id, message, sentAt: clock() }
    await tx.mail.send(mail)
    if (urgency === 'info') await tx.snapshots.put(quietKeyOf(mail), {})
    const outcome = from.parentId === to.id ? parseCompletion(message) : undefined
    if (outcome !== undefined) {
      await tx.agents.update(from.id, { outcome: { ...outcome, at: mail.sentAt } })
      const facts = { agentId: from.id, actor: from.id, dedupeKey: mailSubject(mail.id) }
      await publisher.publish(
        outcome.success
          ? {
              ...facts,
              type: 'agent.completed',
              payload: { name: from.name, summary: outcome.summary ?? '' },
            }
          : {
              ...facts,
              type: 'agent.failed',
              payload: {
                name: from.name,
                exit_code: null,
                signal: null,
                reason: outcome.error ?? '',
                last_lines: outcome.partial ?? '',
              },
            },
        tx,
      )
      if (isExpected(to.id, from.id)) {
        const reports = await queuedReports(tx, to.id, [mail])
        await withdraw(tx, to.id, reports, 'an open wait takes the mail')
        if (reports.length > 0) await tx.snapshots.put(unreportedKeyOf(mail), {})
      }
      return
    }
    if (isExpected(to.id, from.id)) return
    if (isUnmanned((await tx.agents.get(to.id)) ?? to)) await showInInbox(tx, mail)
    else if (isLouder(urgency, await noticeGiven(tx, to.id)))
      await notify(tx, to.id, from, 1, urgency)
  }

  const take: Mailbox['take'] = async (tx, to, parts = [{}]) => {
    const mails: Mail[] = []
    for (const part of parts) mails.push(...(await tx.mail.pop(to, part)))
    if (mails.length === 0) return mails
    await withdraw(tx, to, await queuedReports(tx, to, mails))
    for (const mail of mails)
      if (parseCompletion(mail.message) !== undefined)
        await tx.snapshots.remove(unreportedKeyOf(mail))
    if (
      (await tx.mail.peek(to, { limit: 1 })).length === 0 &&
      (await tx.snapshots.get(noticeOf(to))) !== undefined
    ) {
      await tx.snapshots.remove(noticeOf(to))
      await withdraw(tx, to, await queuedLines(tx, to))
    }
    // It has read what others wait for it to read.
    tx.afterCommit(() => void store.signal(to).catch(() => {}))
    return mails
  }

  return {
    isExpected,
    remind: ({ id }) => store.transaction((tx) => remind(tx, id)),
    receiptOf,

    sendIn,
    send: (from, to, message) => store.transaction((tx) => sendIn(tx, from, to, message)),

    take,
    readInInbox: async (tx, deliveries) => {
      const ids = deliveries.flatMap(({ kind, subject }) =>
        kind === 'message' ? (mailIn(subject) ?? []) : [],
      )
      const root =
        ids.length === 0 ? undefined : (await tx.agents.list()).find(({ kind }) => kind === 'root')
      if (root === undefined) return
      const mails = await take(tx, root.id, [{ ids }])
      await tx.mail.confirm(mails.map(({ id }) => id))
    },

    expect: (wait) => {
      const own = expected.get(wait.to) ?? new Set()
      expected.set(wait.to, own.add(wait))
      return async () => {
        own.delete(wait)
        if (own.size === 0 && expected.get(wait.to) === own) expected.delete(wait.to)
        await notifyOfRest(wait.to)
      }
    },

    recover: async () => {
      const mails = await store.mail.unconfirmed()
      if (mails.length > 0) await receiptOf(mails).giveBack()
      const left = new Set<string>()
      for (const id of (await store.mail.counts()).keys()) {
        await notifyOfRest(id)
        for (const mail of await store.mail.peek(id)) left.add(quietKeyOf(mail))
      }
      // Kept until now, as what is taken may be given back.
      for (const key of await store.snapshots.keys(quietKeyOf({ id: '' })))
        if (!left.has(key)) await store.snapshots.remove(key)
    },
  }
}
