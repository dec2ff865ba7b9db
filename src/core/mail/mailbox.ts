import { randomUUID } from 'node:crypto'
import type { MailStore, StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent, Delivery, Mail } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import { completionWords, parseCompletion } from '../../domain/formats/completion-message.ts'
import { lineFor, mailIn, mailSubject } from '../../domain/formats/mail-subject.ts'
import type { Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import { hasProgram, isAlive } from '../../domain/lifecycle.ts'
import type { Receipt } from './receipt.ts'

/** A wait that takes mail as it comes: of these senders, or of anyone (null). */
export interface MailExpected {
  readonly to: AgentId
  readonly from: ReadonlySet<AgentId> | null
}

/** What `take` is asked for: of these senders, or these alone. */
type MailPart = NonNullable<Parameters<MailStore['pop']>[1]>

/**
 * Mail between agents: first in, first out, for each recipient. Whoever has mail is told so once
 * per batch, by a line that names the first sender: a batch ends when the box is empty. Mail that
 * an open wait will take needs no line. A completion message is told with its text instead, unless
 * it is taken before. All other mail of a root without a program stands in the human’s inbox as
 * well: whoever asks first has it, the inbox or who takes mail for the root, and then it is in
 * neither.
 */
export interface Mailbox {
  send(from: Agent, to: Agent, message: string): Promise<void>
  sendIn(tx: StoreTransaction, from: Agent, to: Agent, message: string): Promise<void>
  /** Takes mail out, all of it or what each of these asks for, oldest first. */
  take(tx: StoreTransaction, to: AgentId, parts?: readonly MailPart[]): Promise<Mail[]>
  /** These were read in the human’s inbox: mail that they bring is out of its box. */
  readInInbox(tx: StoreTransaction, deliveries: readonly Delivery[]): Promise<void>
  /** Of mail that a call’s result carries. */
  receiptOf(mails: readonly Mail[]): Receipt
  /**
   * From now on this takes what comes. Returns what to call when it no longer does: what is left is
   * told as usual.
   */
  expect(wait: MailExpected): () => Promise<void>
  /** A wait that is open will take it. */
  isExpected(to: AgentId, from: AgentId): boolean
  /**
   * For a program that was started anew: mail that waits, of which the one before it may have been
   * told.
   */
  remind(agent: Pick<Agent, 'id'>): Promise<void>
  /**
   * After a start: mail that calls of before had taken, and that nobody knows to have arrived, is
   * back in its boxes, and told of where it was not.
   */
  recover(): Promise<void>
}

/** The key under which it stands that an agent was told of the mail that waits for it. */
const noticeOf = (id: AgentId): string => `mail-notice:${id}`
/**
 * The key under which it stands that nobody was told of a completion message, because an open wait
 * was to take it.
 */
const untoldOf = ({ id }: Pick<Mail, 'id'>): string => `mail-untold:${id}`

/** Nobody is there to be told that it has mail: the words go to the human’s inbox. */
const isUnmanned = (agent: Agent): boolean =>
  agent.kind === 'root' && agent.state !== 'spawning' && !hasProgram(agent)

export function createMailbox({
  store,
  publisher,
  clock,
}: Pick<Deps, 'store' | 'publisher' | 'clock'>): Mailbox {
  const expected = new Map<AgentId, Set<MailExpected>>()

  const isExpected = (to: AgentId, from: AgentId): boolean =>
    [...(expected.get(to) ?? [])].some((wait) => wait.from === null || wait.from.has(from))

  const tell = async (
    tx: StoreTransaction,
    to: AgentId,
    from: Pick<Agent, 'id' | 'name'>,
    count: number,
  ): Promise<void> => {
    await tx.snapshots.put(noticeOf(to), { at: clock() })
    await publisher.publish(
      {
        type: 'mail',
        agentId: to,
        actor: from.id,
        payload: { from_id: from.id, from_name: from.name, count },
      },
      tx,
    )
  }

  /**
   * The line, where it still waits to be handed over; one for a root whose program has ended lies
   * in the human’s inbox.
   */
  const queuedLines = async (tx: StoreTransaction, to: AgentId): Promise<Delivery[]> =>
    (await tx.outbox.list({ subject: lineFor(to), states: ['queued'] })).filter(
      ({ kind }) => kind === 'mail',
    )

  /**
   * What tells the words of these, where it still waits to be handed over. The human hears of ends
   * whoever takes the mail.
   */
  const queuedReports = async (
    tx: StoreTransaction,
    to: AgentId,
    mails: readonly Mail[],
  ): Promise<Delivery[]> => {
    const reports: Delivery[] = []
    for (const mail of mails)
      reports.push(...(await tx.outbox.list({ subject: mailSubject(mail.id), states: ['queued'] })))
    return reports.filter(({ recipient, kind }) => recipient === to || kind === 'message')
  }

  /** The words themselves, for the human’s inbox. */
  const showInInbox = async (
    tx: StoreTransaction,
    { id, from, to, message }: Mail,
  ): Promise<void> => {
    await publisher.publish(
      {
        type: 'message',
        agentId: to,
        actor: from,
        payload: { message: completionWords(message), mail_id: id },
      },
      tx,
    )
  }

  /** Not to be told any more. */
  const withdraw = async (
    tx: StoreTransaction,
    to: AgentId,
    deliveries: readonly Delivery[],
    why = 'the mail was taken before',
  ): Promise<void> => {
    const ids = deliveries.map(({ id }) => id)
    for (const id of await tx.outbox.settle(ids, 'acked', why, clock())) {
      await publisher.publish(
        {
          type: 'delivery.acked',
          agentId: to,
          actor: to,
          payload: { delivery_id: id, lane: 'tool' },
        },
        tx,
      )
    }
  }

  /** Tells of mail that waits. */
  const tellOf = async (
    tx: StoreTransaction,
    id: AgentId,
    mails: readonly Mail[],
  ): Promise<void> => {
    const agent = await tx.agents.get(id)
    const [first] = mails
    if (first === undefined || agent === undefined || !isAlive(agent.state)) return
    if (isUnmanned(agent)) {
      for (const mail of mails)
        if ((await queuedReports(tx, id, [mail])).length === 0) await showInInbox(tx, mail)
      return
    }
    await tell(
      tx,
      id,
      { id: first.from, name: (await tx.agents.get(first.from))?.name ?? first.from },
      mails.length,
    )
  }

  const remindIn = async (tx: StoreTransaction, id: AgentId): Promise<void> => {
    const mails = await tx.mail.peek(id)
    // The line itself may still wait, and then comes to the new program.
    if (mails.length > 0 && (await queuedLines(tx, id)).length === 0) await tellOf(tx, id, mails)
  }

  const isChild = async (tx: StoreTransaction, id: AgentId, parent: AgentId): Promise<boolean> =>
    (await tx.agents.get(id))?.parentId === parent
  const isUntold = async (tx: StoreTransaction, mail: Mail): Promise<boolean> =>
    (await tx.snapshots.get(untoldOf(mail))) !== undefined

  /** Of what nobody was told of yet. */
  const tellOfRest = async (id: AgentId): Promise<void> => {
    if ((await store.mail.peek(id, { limit: 1 })).length === 0) return
    await store.transaction(async (tx) => {
      if ((await tx.snapshots.get(noticeOf(id))) !== undefined) return
      const untold: Mail[] = []
      for (const mail of await tx.mail.peek(id)) {
        if (isExpected(id, mail.from)) continue
        // Told with its text when it came, and by a line when it was given back.
        const isTold =
          parseCompletion(mail.message) !== undefined &&
          (await isChild(tx, mail.from, id)) &&
          !(await isUntold(tx, mail))
        if (!isTold) untold.push(mail)
      }
      await tellOf(tx, id, untold)
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
            // Another wait may take it instead; where that ends without it, nobody would tell of a
            // completion message any more.
            const isTaken = ({ from, message }: Mail): boolean =>
              isExpected(to, from) && parseCompletion(message) === undefined
            if (!back.every(isTaken)) await remindIn(tx, to)
            tx.afterCommit(() => void store.signal(to).catch(() => {}))
          }
        }),
    }
  }

  const sendIn: Mailbox['sendIn'] = async (tx, from, to, message) => {
    // It may have ended since it was looked up.
    if (to.kind !== 'root') requireAlive((await tx.agents.get(to.id)) ?? to, 'send to')
    const mail: Mail = { id: randomUUID(), from: from.id, to: to.id, message, sentAt: clock() }
    await tx.mail.send(mail)
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
        if (reports.length > 0) await tx.snapshots.put(untoldOf(mail), {})
      }
      return
    }
    if (isExpected(to.id, from.id)) return
    if (isUnmanned((await tx.agents.get(to.id)) ?? to)) await showInInbox(tx, mail)
    else if ((await tx.snapshots.get(noticeOf(to.id))) === undefined) await tell(tx, to.id, from, 1)
  }

  const take: Mailbox['take'] = async (tx, to, parts = [{}]) => {
    const mails: Mail[] = []
    for (const part of parts) mails.push(...(await tx.mail.pop(to, part)))
    if (mails.length === 0) return mails
    await withdraw(tx, to, await queuedReports(tx, to, mails))
    for (const mail of mails)
      if (parseCompletion(mail.message) !== undefined) await tx.snapshots.remove(untoldOf(mail))
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
    remind: ({ id }) => store.transaction((tx) => remindIn(tx, id)),
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
        await tellOfRest(wait.to)
      }
    },

    recover: async () => {
      const mails = await store.mail.unconfirmed()
      if (mails.length > 0) await receiptOf(mails).giveBack()
      for (const id of (await store.mail.counts()).keys()) await tellOfRest(id)
    },
  }
}
