import type { Recipient } from '../../../../domain/ids.ts'
import type { OutboxStore } from '../../store.ts'
import type { Delivery } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'

/**
 * The states of a delivery, each change one statement that names the states it starts from:
 *
 *   queued ──claim──▶ sent ──settle──▶ acked | failed | undecided        undecided ──settle──▶ acked
 *      ▲ ◀──requeue────┘
 *      └────reroute (also from sent, while its hand-over is not noted), for another recipient
 *
 *      └────withdraw──▶ withdrawn
 *
 * queued can be settled directly (an inbox message that is read). acked, failed and withdrawn are
 * final.
 */
export function createOutbox({ db }: Session): OutboxStore {
  return {
    enqueue: async ({ id, recipient, eventSeq, kind, subject = null, text, createdAt }) => {
      await change(db, ENQUEUE, id, recipient, eventSeq, kind, subject, text, createdAt, createdAt)
    },
    get: async (id) =>
      (await rows<Delivery>(db, `select ${COLUMNS} from deliveries where id = ?`, id))[0],
    list: ({ recipient, states, batch, subject, limit }) => {
      const conditions: [text: string, value: string][] = []
      if (recipient !== undefined) conditions.push(['recipient = ?', recipient])
      if (states !== undefined) conditions.push([`state in ${LISTED}`, JSON.stringify(states)])
      if (batch !== undefined) conditions.push(['batch = ?', batch])
      if (subject !== undefined) conditions.push(['subject = ?', subject])
      const where =
        conditions.length === 0 ? '' : `where ${conditions.map(([text]) => text).join(' and ')}`
      const values = conditions.map(([, value]) => value)
      return rows<Delivery>(
        db,
        `select ${COLUMNS} from deliveries ${where} order by seq limit ?`,
        ...values,
        limit ?? -1,
      )
    },
    counts: async (states) => {
      const found = await rows<{ recipient: Recipient; count: number }>(
        db,
        `select recipient, count(*) as count from deliveries where state in ${LISTED} group by recipient`,
        JSON.stringify(states),
      )
      return new Map(found.map(({ recipient, count }) => [recipient, count]))
    },
    claim: async (ids, lane, batch, at) => {
      const taken = await rows<Delivery & { seq?: number }>(
        db,
        CLAIM,
        lane,
        batch,
        at,
        JSON.stringify(ids),
      )
      return inOrder(taken)
    },
    handed: async (ids, at) => {
      await change(db, HANDED, at, JSON.stringify(ids))
    },
    settle: async (ids, state, why, at) => {
      const settled = await rows<Pick<Delivery, 'id'> & { seq?: number }>(
        db,
        SETTLE,
        state,
        why,
        at,
        JSON.stringify(ids),
        state,
      )
      return inOrder(settled).map(({ id }) => id)
    },
    withdraw: async (ids, why, at) => {
      const withdrawn = await rows<Pick<Delivery, 'id'> & { seq?: number }>(
        db,
        WITHDRAW,
        why,
        at,
        JSON.stringify(ids),
      )
      return inOrder(withdrawn).map(({ id }) => id)
    },
    requeue: async (ids, nextAttemptAt, why) => {
      await change(db, REQUEUE, Math.ceil(nextAttemptAt), why, JSON.stringify(ids))
    },
    reroute: async (from, to, why) => {
      const moved = await rows<Pick<Delivery, 'id'> & { seq?: number }>(db, REROUTE, to, why, from)
      return inOrder(moved).map(({ id }) => id)
    },
    prune: (before) => change(db, PRUNE, before, before),
  }
}

const COLUMNS = `
  id, recipient, eventSeq, kind, subject, text, state, lane, batch, attempts, createdAt, nextAttemptAt, claimedAt, handedAt, settledAt, why`

const LISTED = '(select value from json_each(?))'

const ENQUEUE = `insert into deliveries (id, recipient, eventSeq, kind, subject, text, state, attempts, createdAt, nextAttemptAt)
  values (?, ?, ?, ?, ?, ?, 'queued', 0, ?, ?)`

const CLAIM = `update deliveries
  set state = 'sent', lane = ?, batch = ?, attempts = attempts + 1, claimedAt = ?, handedAt = null
  where id in ${LISTED} and state = 'queued' returning seq, ${COLUMNS}`

/** Also after the ack: a prompt hook can be quicker than the hand-over it confirms. */
const HANDED = `update deliveries set handedAt = ? where id in ${LISTED} and state <> 'queued'`

const SETTLE = `update deliveries set state = ?, why = ?, settledAt = ?
  where id in ${LISTED} and (state in ('queued', 'sent') or (state = 'undecided' and ? = 'acked')) returning seq, id`

const WITHDRAW = `update deliveries set state = 'withdrawn', why = ?, settledAt = ? where id in ${LISTED} and state = 'queued' returning seq, id`

const REQUEUE = `update deliveries
  set state = 'queued', lane = null, batch = null, claimedAt = null, handedAt = null, nextAttemptAt = ?, why = ?
  where id in ${LISTED} and state in ('queued', 'sent')`

/**
 * What was handed over stays with the one who has it. Due at once for the new recipient, with its
 * own count of attempts.
 */
const REROUTE = `update deliveries
  set recipient = ?, why = ?, state = 'queued', lane = null, batch = null, claimedAt = null, attempts = 0, nextAttemptAt = createdAt
  where recipient = ? and (state = 'queued' or (state = 'sent' and handedAt is null)) returning seq, id`

/** Settled, or handed over to one that never confirms. */
const PRUNE = `delete from deliveries where settledAt < ? or (state = 'sent' and handedAt < ?)`

/** `returning` promises no order; the order of insertion is what readers expect. */
function inOrder<Row extends { seq?: number }>(found: Row[]): Omit<Row, 'seq'>[] {
  found.sort((left, right) => (left.seq ?? 0) - (right.seq ?? 0))
  return found.map(({ seq: _, ...row }) => row)
}
