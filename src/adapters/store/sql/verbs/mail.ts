import { sql } from 'kysely'
import type { AgentId } from '../../../../domain/ids.ts'
import type { MailStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

/**
 * A mailbox in order of insertion, whatever the clocks say. Popped mail stays, marked, so that it
 * can go back to its place: until it is known to have arrived, and for a day; each pop takes away
 * what is older.
 */
export function createMail({ rows, change, wake }: Session, clock: () => number): MailStore {
  return {
    send: async ({ id, from, to, message, sentAt }) => {
      await change(SEND, { id, sender: from, recipient: to, message, sentAt })
      await wake(to)
    },
    pop: async (to, options = {}) => {
      const now = clock()
      const taken = await rows(POP, { now, ...waitingFor(to, options) })
      if (taken.length > 0) await change(FORGET, { before: now - KEPT_MILLISECONDS })
      return taken.sort((left, right) => left.seq - right.seq).map(({ seq: _, ...mail }) => mail)
    },
    peek: (to, options = {}) => rows(PEEK, waitingFor(to, options)),
    counts: async () => {
      const found = await rows(COUNTS, {})
      return new Map(found.map(({ recipient, count }) => [recipient, count]))
    },
    giveBack: async (ids) => {
      await change(GIVE_BACK, { ids })
    },
    confirm: async (ids) => {
      await change(CONFIRM, { ids })
    },
    unconfirmed: () => rows(UNCONFIRMED, {}),
  }
}

const COLUMNS = ['id', 'sender as from', 'recipient as to', 'message', 'sentAt'] as const

const SEND = (
  { db }: Tools,
  given: Given<Omit<Tables['mail'], 'seq' | 'poppedAt' | 'confirmed'>>,
) => db.insertInto('mail').values(given)

interface Waiting {
  readonly recipient: AgentId
  readonly sender?: AgentId | undefined
  readonly senders?: readonly AgentId[] | undefined
  readonly ids?: readonly string[] | undefined
  readonly limit?: number | undefined
}

/**
 * One sender is the usual case, and compared by itself: a list costs more than the rest of the
 * query.
 */
function waitingFor(
  recipient: AgentId,
  { from, ids, limit }: Parameters<MailStore['pop']>[1] & {},
): Waiting {
  const sender = from?.length === 1 ? from[0] : undefined
  return { recipient, sender, senders: sender === undefined ? from : undefined, ids, limit }
}

function WAITING(
  { db, listed }: Tools,
  { recipient, sender, senders, ids, limit }: Given<Waiting>,
) {
  let query = db
    .selectFrom('mail')
    .where('recipient', '=', recipient)
    .where('poppedAt', 'is', null)
    .orderBy('seq')
  if (sender !== undefined) query = query.where('sender', '=', sender)
  if (senders !== undefined) query = query.where('sender', 'in', listed(senders))
  if (ids !== undefined) query = query.where('id', 'in', listed(ids))
  return limit === undefined ? query : query.limit(limit)
}

const PEEK = (tools: Tools, given: Given<Waiting>) => WAITING(tools, given).select(COLUMNS)

const POP = (tools: Tools, { now, ...given }: Given<Waiting & { now: number }>) =>
  tools.db
    .updateTable('mail')
    .set({ poppedAt: now })
    .where('seq', 'in', WAITING(tools, given).select('seq'))
    .returning(['seq', ...COLUMNS])

const FORGET = ({ db }: Tools, given: Given<{ before: number }>) =>
  db.deleteFrom('mail').where('poppedAt', '<', given.before).where('confirmed', '=', sql.lit(1))

const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000

const COUNTS = ({ db }: Tools) =>
  db
    .selectFrom('mail')
    .select(({ fn }) => ['recipient', fn.countAll<number>().as('count')])
    .where('poppedAt', 'is', null)
    .groupBy('recipient')

const GIVE_BACK = ({ db, listed }: Tools, given: Given<{ ids: readonly string[] }>) =>
  db
    .updateTable('mail')
    .set({ poppedAt: sql.lit(null), confirmed: sql.lit(0) })
    .where('id', 'in', listed(given.ids))

const CONFIRM = ({ db, listed }: Tools, given: Given<{ ids: readonly string[] }>) =>
  db
    .updateTable('mail')
    .set({ confirmed: sql.lit(1) })
    .where('id', 'in', listed(given.ids))
    .where('poppedAt', 'is not', null)

const UNCONFIRMED = ({ db }: Tools) =>
  db
    .selectFrom('mail')
    .select(COLUMNS)
    .where('poppedAt', 'is not', null)
    .where('confirmed', '=', sql.lit(0))
    .orderBy('seq')
