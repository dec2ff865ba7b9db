import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent, Delivery, Mail } from '../../domain/records.ts'
import type { AgentId, DeliveryId, Recipient } from '../../domain/ids.ts'
import { completionWords, parseCompletion } from '../../domain/formats/completion-message.ts'
import { lineFor, mailSubject } from '../../domain/formats/mail-subject.ts'
import type { Deps } from '../deps.ts'
import type { Urgency } from './message-use-cases.ts'
import { hasProgram, isAlive } from '../../domain/lifecycle.ts'

/** What says that mail waits, said and taken back, each in the transaction that has the mail. */
export interface MailNotices {
  /** The line that says that there is mail from this one. */
  notify(
    tx: StoreTransaction,
    to: AgentId,
    from: Pick<Agent, 'id' | 'name'>,
    count: number,
    urgency?: Urgency,
  ): Promise<void>
  /** Notifies of mail that waits. */
  notifyOf(tx: StoreTransaction, id: AgentId, mails: readonly Mail[]): Promise<void>
  /** The words themselves, for the human’s inbox. */
  showInInbox(tx: StoreTransaction, mail: Mail): Promise<void>
  /** For a root whose program has ended: the words of its mail, in place of the line that says so. */
  bringToInbox(tx: StoreTransaction, id: AgentId): Promise<void>
  /**
   * For one that has ended for good: its box is empty, and the words go to the next in line, but
   * for what that one wrote itself.
   */
  passOn(tx: StoreTransaction, agent: Pick<Agent, 'id'>, to: Recipient): Promise<void>
  /** Notifies of all that waits, unless the line itself still does: it comes to the new program. */
  remind(tx: StoreTransaction, id: AgentId): Promise<void>
  /**
   * The line, where it still waits to be handed over.
   */
  queuedLines(tx: StoreTransaction, to: AgentId): Promise<Delivery[]>
  /**
   * The reports that carry the words of these, where they still wait to be handed over. The human
   * is notified of ends whoever takes the mail.
   */
  queuedReports(tx: StoreTransaction, to: AgentId, mails: readonly Mail[]): Promise<Delivery[]>
  /** Not to be delivered any more. */
  withdraw(
    tx: StoreTransaction,
    to: AgentId,
    deliveries: readonly Delivery[],
    why?: string,
  ): Promise<void>
}

/** The key under which it stands that an agent was notified of the mail that waits for it. */
export const noticeOf = (id: AgentId): string => `mail-notice:${id}`

/**
 * How an agent was notified of the mail that waits; undefined where it was not, or where nobody
 * knows whether the line arrived: that is never handed over again.
 */
export async function noticeGiven(
  tx: Pick<StoreTransaction, 'snapshots' | 'outbox'>,
  id: AgentId,
): Promise<Record<string, unknown> | undefined> {
  const notice = await tx.snapshots.get(noticeOf(id))
  const line = notice?.['line']
  const delivery = typeof line === 'string' ? await tx.outbox.get(line as DeliveryId) : undefined
  return delivery?.state === 'undecided' || delivery?.state === 'failed' ? undefined : notice
}

/** The key under which it stands that mail needs nothing of its recipient. */
export const quietKeyOf = ({ id }: Pick<Mail, 'id'>): string => `mail-info:${id}`

/**
 * The key under which it stands that nobody was notified of a completion message, because an open
 * wait was to take it.
 */
export const unreportedKeyOf = ({ id }: Pick<Mail, 'id'>): string => `mail-untold:${id}`

/** A child’s completion message: delivered with its text when it came, and by a line when it was given back. */
export const isReported = async (
  tx: Pick<StoreTransaction, 'agents' | 'snapshots'>,
  mail: Mail,
): Promise<boolean> =>
  parseCompletion(mail.message) !== undefined &&
  (await tx.agents.get(mail.from))?.parentId === mail.to &&
  (await tx.snapshots.get(unreportedKeyOf(mail))) === undefined

/** Nobody is there to be notified of its mail: the words go to the human’s inbox. */
export const isUnmanned = (agent: Agent): boolean =>
  agent.kind === 'root' && agent.state !== 'spawning' && !hasProgram(agent)

export function createMailNotices({
  publisher,
  clock,
}: Pick<Deps, 'publisher' | 'clock'>): MailNotices {
  const notify = async (
    tx: StoreTransaction,
    to: AgentId,
    from: Pick<Agent, 'id' | 'name'>,
    count: number,
    urgency?: Urgency,
  ): Promise<void> => {
    // One that was only to be carried along.
    const ids = (await queuedLines(tx, to)).map(({ id }) => id)
    await tx.outbox.withdraw(ids, 'there is newer mail', clock())
    const loudness = urgency === undefined ? {} : { urgency }
    await publisher.publish(
      {
        type: 'mail',
        agentId: to,
        actor: from.id,
        payload: { from_id: from.id, from_name: from.name, count, ...loudness },
      },
      tx,
    )
    const line = (await queuedLines(tx, to)).at(-1)?.id
    await tx.snapshots.put(noticeOf(to), {
      at: clock(),
      ...loudness,
      ...(line !== undefined && { line }),
    })
  }

  const queuedLines = async (tx: StoreTransaction, to: AgentId): Promise<Delivery[]> =>
    (await tx.outbox.list({ subject: lineFor(to), states: ['queued'] })).filter(
      ({ kind }) => kind === 'mail',
    )

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

  const notifyOf = async (
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
    const quiet = await Promise.all(
      mails.map(async (mail) => (await tx.snapshots.get(quietKeyOf(mail))) !== undefined),
    )
    await notify(
      tx,
      id,
      { id: first.from, name: (await tx.agents.get(first.from))?.name ?? first.from },
      mails.length,
      quiet.every(Boolean) ? 'info' : undefined,
    )
  }

  const bringToInbox = async (tx: StoreTransaction, id: AgentId): Promise<void> => {
    const mails = await tx.mail.peek(id)
    await withdraw(tx, id, await queuedLines(tx, id), 'its words are in the human’s inbox')
    const reported = await Promise.all(mails.map((mail) => isReported(tx, mail)))
    await notifyOf(
      tx,
      id,
      mails.filter((_, index) => reported[index] !== true),
    )
  }

  const passOn: MailNotices['passOn'] = async (tx, { id }, to) => {
    const mails = await tx.mail.pop(id)
    for (const mail of mails) {
      if (mail.from === to || (await isReported(tx, mail))) continue
      const isQuiet = (await tx.snapshots.get(quietKeyOf(mail))) !== undefined
      await publisher.publish(
        {
          type: 'message',
          agentId: id,
          actor: mail.from,
          payload: {
            message: completionWords(mail.message),
            ...(isQuiet && { urgency: 'info' as const }),
          },
        },
        tx,
      )
    }
    await tx.mail.confirm(mails.map((mail) => mail.id))
    await tx.snapshots.remove(noticeOf(id))
  }

  const remind = async (tx: StoreTransaction, id: AgentId): Promise<void> => {
    const mails = await tx.mail.peek(id)
    // The line itself may still wait, and then comes to the new program.
    if (mails.length > 0 && !(await queuedLines(tx, id)).some(({ reach }) => reach === 'wake'))
      await notifyOf(tx, id, mails)
  }

  return {
    notify,
    notifyOf,
    showInInbox,
    bringToInbox,
    passOn,
    remind,
    queuedLines,
    queuedReports,
    withdraw,
  }
}
