import type { AgentId } from '../../../../domain/ids.ts'
import type { NewStoredEvent, StoredEvent } from '../../../../domain/records.ts'
import type { EventStore } from '../../store.ts'
import type { Given, Runner, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

type EventRow = Omit<StoredEvent, 'payload'> & { readonly payload: string }

export function createEvents(session: Session): EventStore {
  const { rows, change, atomic } = session
  return {
    append: (event) =>
      event.dedupeKey === null
        ? insert(session, event)
        : atomic((own) => insertOnce(own, event, event.dedupeKey ?? '')),
    list: async ({ types, agentIds, limit, last, ...filter }) => {
      const most = last === undefined ? limit : Math.min(limit ?? last, last)
      const range = last === undefined ? { limit: most } : { last: most }
      const { after, before, since, until, agentId } = filter
      const found = await rows(LIST, {
        ...{ after, before, since, until, agentId, agentIds },
        ...ofTypes(types),
        ...range,
      })
      const ascending = last === undefined ? found : found.toReversed()
      return ascending.map(toEvent)
    },
    lastSeq: async () => (await rows(LAST_SEQ, {}))[0]?.seq ?? 0,
    prune: (before) => change(PRUNE, { before }),
  }
}

async function insertOnce(
  own: Runner,
  event: NewStoredEvent,
  key: string,
): Promise<StoredEvent | undefined> {
  const fresh = await own.change(INSERT_KEY, { key })
  return fresh === 0 ? undefined : insert(own, event)
}

async function insert({ rows }: Runner, event: NewStoredEvent): Promise<StoredEvent> {
  const { type, at, agentId, actor, why, dedupeKey, payload } = event
  const facts = { type, at, agentId, actor, why, dedupeKey }
  const [row] = await rows(INSERT, { ...facts, payload: JSON.stringify(payload) })
  if (row === undefined) throw new Error('an insert answered no row')
  return { seq: row.seq, ...facts, payload }
}

const INSERT_KEY = ({ db }: Tools, given: Given<{ key: string }>) =>
  db
    .insertInto('event_keys')
    .values(given)
    .onConflict((conflict) => conflict.doNothing())

const INSERT = ({ db }: Tools, given: Given<Omit<EventRow, 'seq'>>) =>
  db.insertInto('events').values(given).returning('seq')

type Types = { readonly type: string } | { readonly types: readonly string[] } | undefined

/** One type is compared by itself: its index has the order of the answer, that of a list has not. */
function ofTypes(types: readonly string[] | undefined): Types {
  const [only] = types ?? []
  if (types === undefined) return undefined
  return only !== undefined && types.length === 1 ? { type: only } : { types }
}

interface Filter {
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly type?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly agentId?: AgentId | undefined
  readonly agentIds?: readonly AgentId[] | undefined
  readonly limit?: number | undefined
  /** The newest first, and no more than so many. */
  readonly last?: number | undefined
}

function LIST({ db, listed }: Tools, given: Given<Filter>) {
  const { after, before, since, until, type, types, agentId, agentIds, limit, last } = given
  let query = db
    .selectFrom('events')
    .select(['seq', 'type', 'at', 'agentId', 'actor', 'why', 'dedupeKey', 'payload'])
  if (after !== undefined) query = query.where('seq', '>', after)
  if (before !== undefined) query = query.where('seq', '<', before)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (type !== undefined) query = query.where('type', '=', type)
  if (types !== undefined) query = query.where('type', 'in', listed(types))
  if (agentId !== undefined) query = query.where('agentId', '=', agentId)
  if (agentIds !== undefined) query = query.where('agentId', 'in', listed(agentIds))
  if (last !== undefined) return query.orderBy('seq', 'desc').limit(last)
  return limit === undefined ? query.orderBy('seq') : query.orderBy('seq').limit(limit)
}

/** A counter's, not the rows': pruning must not turn the clock back. */
const LAST_SEQ = ({ db, lastEvent }: Tools) => db.selectNoFrom(lastEvent.as('seq'))

const PRUNE = ({ db }: Tools, given: Given<{ before: number }>) =>
  db.deleteFrom('events').where('at', '<', given.before)

function toEvent(row: EventRow): StoredEvent {
  return { ...row, payload: JSON.parse(row.payload) as StoredEvent['payload'] }
}
