import type { Kysely } from 'kysely'
import type { EventStore } from '../../store.ts'
import type { NewStoredEvent, StoredEvent } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'
import type { Tables } from '../tables.ts'

type EventRow = Omit<StoredEvent, 'payload'> & { readonly payload: string }

export function createEvents({ db, atomic }: Session): EventStore {
  return {
    append: (event) =>
      event.dedupeKey === null
        ? insert(db, event)
        : atomic((own) => insertOnce(own, event, event.dedupeKey ?? '')),
    list: async ({ after, since, types, agentId, limit, last }) => {
      let query = db
        .selectFrom('events')
        .select(['seq', 'type', 'at', 'agentId', 'actor', 'why', 'dedupeKey', 'payload'])
      if (after !== undefined) query = query.where('seq', '>', after)
      if (since !== undefined) query = query.where('at', '>=', since)
      if (types !== undefined) query = query.where('type', 'in', [...types])
      if (agentId !== undefined) query = query.where('agentId', '=', agentId)
      const found = await query
        .orderBy('seq', last === undefined ? 'asc' : 'desc')
        .limit(Math.min(limit ?? NO_LIMIT, last ?? NO_LIMIT))
        .execute()
      const ascending = last === undefined ? found : found.toReversed()
      return ascending.map(toEvent)
    },
    lastSeq: async () => {
      // The table's counter, not its rows: pruning must not turn the clock back.
      const [counter] = await rows<{ seq: number }>(
        db,
        "select seq from sqlite_sequence where name = 'events'",
      )
      return counter?.seq ?? 0
    },
    prune: (before) => change(db, 'delete from events where at < ?', before),
  }
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

async function insertOnce(
  db: Kysely<Tables>,
  event: NewStoredEvent,
  key: string,
): Promise<StoredEvent | undefined> {
  const fresh = await change(
    db,
    'insert into event_keys (key) values (?) on conflict do nothing',
    key,
  )
  return fresh === 0 ? undefined : insert(db, event)
}

async function insert(db: Kysely<Tables>, event: NewStoredEvent): Promise<StoredEvent> {
  const { type, at, agentId, actor, why, dedupeKey, payload } = event
  const [row] = await rows<{ seq: number }>(
    db,
    INSERT,
    type,
    at,
    agentId,
    actor,
    why,
    dedupeKey,
    JSON.stringify(payload),
  )
  if (row === undefined) throw new Error('SQLite answered no row to an insert')
  return { seq: row.seq, type, at, agentId, actor, why, dedupeKey, payload }
}

const INSERT =
  'insert into events (type, at, agentId, actor, why, dedupeKey, payload) values (?, ?, ?, ?, ?, ?, ?) returning seq'

function toEvent(row: EventRow): StoredEvent {
  return { ...row, payload: JSON.parse(row.payload) as StoredEvent['payload'] }
}
