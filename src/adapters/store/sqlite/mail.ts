import type { AgentId } from '../../../ids.ts'
import type { Mail, MailStore } from '../store.ts'
import type { Channels } from './channels.ts'
import type { Session } from './session.ts'
import { change, rows } from './session.ts'

/**
 * A mailbox in order of insertion, whatever the clocks say. Popped mail stays for a day, marked, so that it can go back to its place;
 * each pop takes away what is older.
 */
export function createMail({ db, afterCommit }: Session, channels: Channels, clock: () => number): MailStore {
  return {
    send: async ({ id, from, to, message, sentAt }) => {
      await change(db, 'insert into mail (id, sender, recipient, message, sentAt) values (?, ?, ?, ?, ?)', id, from, to, message, sentAt)
      afterCommit(() => channels.signal(to))
    },
    pop: async (to, { from, limit } = {}) => {
      const now = clock()
      const senders = from === undefined ? null : JSON.stringify(from)
      const taken = await rows<Mail & { seq: number }>(db, POP, now, to, senders, senders, limit ?? -1)
      if (taken.length > 0) await change(db, FORGET, now - KEPT_MILLISECONDS)
      return taken.sort((left, right) => left.seq - right.seq).map(({ seq: _, ...mail }) => mail)
    },
    peek: (to: AgentId) => rows<Mail>(db, `select ${COLUMNS} from mail where recipient = ? and poppedAt is null order by seq`, to),
    giveBack: async (ids) => {
      await change(db, 'update mail set poppedAt = null, confirmed = 0 where id in (select value from json_each(?))', JSON.stringify(ids))
    },
    confirm: async (ids) => {
      await change(db, 'update mail set confirmed = 1 where id in (select value from json_each(?)) and poppedAt is not null', JSON.stringify(ids))
    },
    unconfirmed: () => rows<Mail>(db, `select ${COLUMNS} from mail where poppedAt is not null and confirmed = 0 order by seq`),
  }
}

const COLUMNS = 'id, sender as "from", recipient as "to", message, sentAt'

const POP = `update mail set poppedAt = ? where seq in (
    select seq from mail
    where recipient = ? and poppedAt is null and (? is null or sender in (select value from json_each(?)))
    order by seq limit ?
  ) returning seq, ${COLUMNS}`

const FORGET = 'delete from mail where poppedAt < ?'

const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000
