import { sql } from 'kysely'
import type { DeliveryId, Recipient } from '../../../../domain/ids.ts'
import type { Delivery, DeliveryState, Lane } from '../../../../domain/records.ts'
import type { OutboxStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

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
export function createOutbox({ rows, change }: Session): OutboxStore {
  return {
    enqueue: async ({ id, recipient, eventSeq, kind, subject = null, text, createdAt }) => {
      await change(ENQUEUE, { id, recipient, eventSeq, kind, subject, text, createdAt })
    },
    get: async (id) => (await rows(GET, { id }))[0],
    list: ({ recipient, states, batch, subject, limit }) =>
      rows(LIST, { recipient, states, batch, subject, limit }),
    counts: async (states) => {
      const found = await rows(COUNTS, { states })
      return new Map(found.map(({ recipient, count }) => [recipient, count]))
    },
    claim: async (ids, lane, batch, claimedAt) =>
      inOrder(await rows(CLAIM, { ids, lane, batch, claimedAt })),
    handed: async (ids, handedAt) => {
      await change(HANDED, { ids, handedAt })
    },
    settle: async (ids, state, why, settledAt) =>
      inOrder(await rows(SETTLE, { ids, state, why, settledAt })).map(({ id }) => id),
    withdraw: async (ids, why, settledAt) =>
      inOrder(await rows(WITHDRAW, { ids, why, settledAt })).map(({ id }) => id),
    requeue: async (ids, nextAttemptAt, why) => {
      await change(REQUEUE, { ids, nextAttemptAt: Math.ceil(nextAttemptAt), why })
    },
    reroute: async (from, to, why) =>
      inOrder(await rows(REROUTE, { from, recipient: to, why })).map(({ id }) => id),
    prune: (before) => change(PRUNE, { before }),
  }
}

const COLUMNS = [
  'id',
  'recipient',
  'eventSeq',
  'kind',
  'subject',
  'text',
  'state',
  'lane',
  'batch',
  'attempts',
  'createdAt',
  'nextAttemptAt',
  'claimedAt',
  'handedAt',
  'settledAt',
  'why',
] as const

const QUEUED = sql.lit('queued' as const)
const SENT = sql.lit('sent' as const)
const ZERO = sql.lit(0)
const NULL = sql.lit(null)

interface Change<State = DeliveryState> extends Pick<
  Delivery,
  'lane' | 'batch' | 'claimedAt' | 'handedAt' | 'settledAt' | 'nextAttemptAt' | 'why'
> {
  readonly ids: readonly DeliveryId[]
  readonly state: State
}

/** Due at once. */
const ENQUEUE = (
  { db }: Tools,
  given: Given<
    Pick<Delivery, 'id' | 'recipient' | 'eventSeq' | 'kind' | 'subject' | 'text' | 'createdAt'>
  >,
) =>
  db
    .insertInto('deliveries')
    .values({ ...given, state: QUEUED, attempts: ZERO, nextAttemptAt: given.createdAt })

const GET = ({ db }: Tools, given: Given<{ id: DeliveryId }>) =>
  db.selectFrom('deliveries').select(COLUMNS).where('id', '=', given.id)

interface Filter {
  readonly recipient?: Recipient | undefined
  readonly states?: readonly DeliveryState[] | undefined
  readonly batch?: string | undefined
  readonly subject?: string | undefined
  readonly limit?: number | undefined
}

function LIST({ db, listed }: Tools, { recipient, states, batch, subject, limit }: Given<Filter>) {
  let query = db.selectFrom('deliveries').select(COLUMNS).orderBy('seq')
  if (recipient !== undefined) query = query.where('recipient', '=', recipient)
  if (states !== undefined) query = query.where('state', 'in', listed(states))
  if (batch !== undefined) query = query.where('batch', '=', batch)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  return limit === undefined ? query : query.limit(limit)
}

const COUNTS = ({ db, listed }: Tools, given: Given<{ states: readonly DeliveryState[] }>) =>
  db
    .selectFrom('deliveries')
    .select(({ fn }) => ['recipient', fn.countAll<number>().as('count')])
    .where('state', 'in', listed(given.states))
    .groupBy('recipient')

const CLAIM = (
  { db, listed }: Tools,
  { ids, ...claimed }: Given<Pick<Change, 'ids' | 'claimedAt'> & { lane: Lane; batch: string }>,
) =>
  db
    .updateTable('deliveries')
    .set(({ eb }) => ({
      ...claimed,
      state: SENT,
      attempts: eb('attempts', '+', sql.lit(1)),
      handedAt: NULL,
    }))
    .where('id', 'in', listed(ids))
    .where('state', '=', QUEUED)
    .returning(['seq', ...COLUMNS])

/** Also after the ack: a prompt hook can be quicker than the hand-over it confirms. */
const HANDED = (
  { db, listed }: Tools,
  { ids, handedAt }: Given<Pick<Change, 'ids' | 'handedAt'>>,
) =>
  db
    .updateTable('deliveries')
    .set({ handedAt })
    .where('id', 'in', listed(ids))
    .where('state', '<>', QUEUED)

const SETTLE = (
  { db, listed }: Tools,
  { ids, state, why, settledAt }: Given<Pick<Change, 'ids' | 'state' | 'why' | 'settledAt'>>,
) =>
  db
    .updateTable('deliveries')
    .set({ state, why, settledAt })
    .where('id', 'in', listed(ids))
    .where(({ eb, or, and }) =>
      or([
        eb('state', 'in', [QUEUED, SENT]),
        and([eb('state', '=', sql.lit('undecided')), eb(state, '=', sql.lit('acked'))]),
      ]),
    )
    .returning(['seq', 'id'])

const WITHDRAW = (
  { db, listed }: Tools,
  { ids, why, settledAt }: Given<Pick<Change, 'ids' | 'why' | 'settledAt'>>,
) =>
  db
    .updateTable('deliveries')
    .set({ state: sql.lit('withdrawn'), why, settledAt })
    .where('id', 'in', listed(ids))
    .where('state', '=', QUEUED)
    .returning(['seq', 'id'])

const REQUEUE = (
  { db, listed }: Tools,
  { ids, nextAttemptAt, why }: Given<Pick<Change, 'ids' | 'nextAttemptAt' | 'why'>>,
) =>
  db
    .updateTable('deliveries')
    .set({
      state: QUEUED,
      lane: NULL,
      batch: NULL,
      claimedAt: NULL,
      handedAt: NULL,
      nextAttemptAt,
      why,
    })
    .where('id', 'in', listed(ids))
    .where('state', 'in', [QUEUED, SENT])

/**
 * What was handed over stays with the one who has it. Due at once for the new recipient, with its
 * own count of attempts.
 */
const REROUTE = (
  { db }: Tools,
  { from, recipient, why }: Given<{ from: Recipient; recipient: Recipient; why: string }>,
) =>
  db
    .updateTable('deliveries')
    .set(({ ref }) => ({
      recipient,
      why,
      state: QUEUED,
      lane: NULL,
      batch: NULL,
      claimedAt: NULL,
      attempts: ZERO,
      nextAttemptAt: ref('createdAt'),
    }))
    .where('recipient', '=', from)
    .where(({ eb, or, and }) =>
      or([eb('state', '=', QUEUED), and([eb('state', '=', SENT), eb('handedAt', 'is', null)])]),
    )
    .returning(['seq', 'id'])

/** Settled, or handed over to one that never confirms. */
const PRUNE = ({ db }: Tools, { before }: Given<{ before: number }>) =>
  db
    .deleteFrom('deliveries')
    .where(({ eb, or, and }) =>
      or([
        eb('settledAt', '<', before),
        and([eb('state', '=', SENT), eb('handedAt', '<', before)]),
      ]),
    )

/** `returning` promises no order; the order of insertion is what readers expect. */
function inOrder<Row extends { seq?: number }>(found: Row[]): Omit<Row, 'seq'>[] {
  found.sort((left, right) => (left.seq ?? 0) - (right.seq ?? 0))
  return found.map(({ seq: _, ...row }) => row)
}
