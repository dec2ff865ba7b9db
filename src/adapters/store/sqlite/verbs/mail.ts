import type { AgentId } from '../../../../domain/ids.ts'
import type { MailStore } from '../../store.ts'
import type { Mail } from '../../../../domain/records.ts'
import type { Channels } from '../channels.ts'
import { type Session, change, rows } from '../session.ts'

/**
 * A mailbox in order of insertion, whatever the clocks say. Popped mail stays, marked, so that it
 * can go back to its place: until it is known to have arrived, and for a day; each pop takes away
 * what is older.
 */
export function createMail(
  { db, afterCommit }: Session,
  channels: Channels,
  clock: () => number,
): MailStore {
  return {
    send: async ({ id, from, to, message, sentAt }) => {
      await change(
        db,
        'insert into mail (id, sender, recipient, message, sentAt) values (?, ?, ?, ?, ?)',
        id,
        from,
        to,
        message,
        sentAt,
      )
      afterCommit(() => channels.signal(to))
    },
    pop: async (to, options = {}) => {
      const now = clock()
      const waiting = waitingFor(to, options)
      const taken = await rows<Mail & { seq: number }>(
        db,
        `update mail set poppedAt = ? where seq in (select seq ${waiting.sql}) returning seq, ${COLUMNS}`,
        now,
        ...waiting.values,
      )
      if (taken.length > 0) await change(db, FORGET, now - KEPT_MILLISECONDS)
      return taken.sort((left, right) => left.seq - right.seq).map(({ seq: _, ...mail }) => mail)
    },
    peek: (to, options = {}) => {
      const waiting = waitingFor(to, options)
      return rows<Mail>(db, `select ${COLUMNS} ${waiting.sql}`, ...waiting.values)
    },
    counts: async () => {
      const found = await rows<{ recipient: AgentId; count: number }>(
        db,
        'select recipient, count(*) as count from mail where poppedAt is null group by recipient',
      )
      return new Map(found.map(({ recipient, count }) => [recipient, count]))
    },
    giveBack: async (ids) => {
      await change(
        db,
        'update mail set poppedAt = null, confirmed = 0 where id in (select value from json_each(?))',
        JSON.stringify(ids),
      )
    },
    confirm: async (ids) => {
      await change(
        db,
        'update mail set confirmed = 1 where id in (select value from json_each(?)) and poppedAt is not null',
        JSON.stringify(ids),
      )
    },
    unconfirmed: () =>
      rows<Mail>(
        db,
        `select ${COLUMNS} from mail where poppedAt is not null and confirmed = 0 order by seq`,
      ),
  }
}

const COLUMNS = 'id, sender as "from", recipient as "to", message, sentAt'

/**
 * One sender is the usual case, and compared by itself: a list costs more than the rest of the
 * query.
 */
function waitingFor(
  to: AgentId,
  { from, ids, limit = -1 }: Parameters<MailStore['pop']>[1] & {},
): { sql: string; values: (string | number)[] } {
  const [only] = from ?? []
  const sender: [condition: string, ...values: string[]] =
    from === undefined
      ? ['']
      : from.length === 1 && only !== undefined
        ? ['and sender = ?', only]
        : ['and sender in (select value from json_each(?))', JSON.stringify(from)]
  const [condition, ...values] = sender
  const [named, ...names] =
    ids === undefined ? [''] : ['and id in (select value from json_each(?))', JSON.stringify(ids)]
  return {
    sql: `from mail where recipient = ? and poppedAt is null ${condition} ${named} order by seq limit ?`,
    values: [to, ...values, ...names, limit],
  }
}

const FORGET = 'delete from mail where poppedAt < ? and confirmed = 1'

const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000
