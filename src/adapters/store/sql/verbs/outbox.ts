import { type ExpressionBuilder, sql } from 'kysely'
import {
  CHANGES_FROM,
  type DeliveryChange,
  type DeliveryState,
  STATUS_OF,
} from '../../../../domain/delivery-state.ts'
import type { DeliveryId, Recipient } from '../../../../domain/ids.ts'
import type { Delivery, DeliveryStatus, Lane, Reach } from '../../../../domain/records.ts'
import type { OutboxStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

/**
 * Each change of a delivery's state is one statement, which names the states that it starts from
 * by the table of src/domain/delivery-state.ts.
 */
export function createOutbox({ rows, change }: Session): OutboxStore {
  return {
    enqueue: async ({
      id,
      recipient,
      eventSeq,
      kind,
      subject = null,
      reach = 'wake',
      text,
      createdAt,
    }) => {
      await change(ENQUEUE, { id, recipient, eventSeq, kind, subject, reach, text, createdAt })
    },
    get: async (id) => (await rows(GET, { id }))[0],
    list: ({ recipient, states, batch, subject, reach, limit }) =>
      rows(LIST, { recipient, states, batch, subject, reach, limit }),
    counts: async (states, { reach, but = [] } = {}) => {
      const found = await rows(COUNTS, { states, reach, but })
      return new Map(found.map(({ recipient, count }) => [recipient, count]))
    },
    claim: async (ids, lane, batch, claimedAt) =>
      inOrder(await rows(CLAIM, { ids, lane, batch, claimedAt })),
    handed: async (ids, handedAt) => {
      await change(HANDED, { ids, handedAt })
    },
    settle: async (ids, state, why, settledAt) =>
      inOrder(await rows(SETTLE[state], { ids, why, settledAt })).map(({ id }) => id),
    withdraw: async (ids, why, settledAt) =>
      inOrder(await rows(WITHDRAW, { ids, why, settledAt })).map(({ id }) => id),
    requeue: async (ids, nextAttemptAt, why) => {
      await change(REQUEUE, { ids, nextAttemptAt: Math.ceil(nextAttemptAt), why })
    },
    reroute: async (from, to, why, { but = [] } = {}) =>
      inOrder(await rows(REROUTE, { from, recipient: to, why, but })).map(({ id }) => id),
    prune: (before) => change(PRUNE, { before }),
  }
}

const COLUMNS = [
  'id',
  'recipient',
  'eventSeq',
  'kind',
  'subject',
  'reach',
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

const ZERO = sql.lit(0)
const NULL = sql.lit(null)

const status = <Name extends keyof typeof STATUS_OF>(name: Name) => sql.lit(STATUS_OF[name])

/** Whether a row is in one of the states that the change starts from. */
const startsFrom =
  (change: DeliveryChange['by']) =>
  ({ eb, or, and }: ExpressionBuilder<Tables, 'deliveries'>) => {
    const names: readonly DeliveryState['name'][] = CHANGES_FROM[change]
    const is = (name: DeliveryState['name']) => eb('state', '=', status(name))
    const has = (name: DeliveryState['name']) => names.includes(name)
    return or(
      names.map((name) => {
        if (name === 'claimed' && !has('handed')) return and([is(name), eb('handedAt', 'is', null)])
        if (name === 'handed' && !has('claimed'))
          return and([is(name), eb('handedAt', 'is not', null)])
        return is(name)
      }),
    )
  }

interface Change extends Pick<
  Delivery,
  'lane' | 'batch' | 'claimedAt' | 'handedAt' | 'settledAt' | 'nextAttemptAt' | 'why'
> {
  readonly ids: readonly DeliveryId[]
}

/** Due at once. */
const ENQUEUE = (
  { db }: Tools,
  given: Given<
    Pick<
      Delivery,
      'id' | 'recipient' | 'eventSeq' | 'kind' | 'subject' | 'reach' | 'text' | 'createdAt'
    >
  >,
) =>
  db
    .insertInto('deliveries')
    .values({ ...given, state: status('waiting'), attempts: ZERO, nextAttemptAt: given.createdAt })

const GET = ({ db }: Tools, given: Given<{ id: DeliveryId }>) =>
  db.selectFrom('deliveries').select(COLUMNS).where('id', '=', given.id)

interface Filter {
  readonly recipient?: Recipient | undefined
  readonly states?: readonly DeliveryStatus[] | undefined
  readonly batch?: string | undefined
  readonly subject?: string | undefined
  readonly reach?: Reach | undefined
  readonly limit?: number | undefined
}

function LIST(
  { db, listed }: Tools,
  { recipient, states, batch, subject, reach, limit }: Given<Filter>,
) {
  let query = db.selectFrom('deliveries').select(COLUMNS).orderBy('seq')
  if (recipient !== undefined) query = query.where('recipient', '=', recipient)
  if (states !== undefined) query = query.where('state', 'in', listed(states))
  if (batch !== undefined) query = query.where('batch', '=', batch)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  if (reach !== undefined) query = query.where('reach', '=', reach)
  return limit === undefined ? query : query.limit(limit)
}

function COUNTS(
  { db, listed }: Tools,
  {
    states,
    reach,
    but,
  }: Given<{
    states: readonly DeliveryStatus[]
    reach?: Reach | undefined
    but: readonly string[]
  }>,
) {
  const query = db
    .selectFrom('deliveries')
    .select(({ fn }) => ['recipient', fn.countAll<number>().as('count')])
    .where('state', 'in', listed(states))
    .where('kind', 'not in', listed(but))
    .groupBy('recipient')
  return reach === undefined ? query : query.where('reach', '=', reach)
}

const CLAIM = (
  { db, listed }: Tools,
  { ids, ...claimed }: Given<Pick<Change, 'ids' | 'claimedAt'> & { lane: Lane; batch: string }>,
) =>
  db
    .updateTable('deliveries')
    .set(({ eb }) => ({
      ...claimed,
      state: status('claimed'),
      attempts: eb('attempts', '+', sql.lit(1)),
      handedAt: NULL,
    }))
    .where('id', 'in', listed(ids))
    .where(startsFrom('claim'))
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
    .where(startsFrom('note'))
    .where('claimedAt', 'is not', null)

const settle =
  (state: 'acked' | 'failed' | 'undecided') =>
  (
    { db, listed }: Tools,
    { ids, why, settledAt }: Given<Pick<Change, 'ids' | 'why' | 'settledAt'>>,
  ) =>
    db
      .updateTable('deliveries')
      .set({ state: status(state), why, settledAt })
      .where('id', 'in', listed(ids))
      .where(startsFrom(state))
      .returning(['seq', 'id'])

const SETTLE = { acked: settle('acked'), failed: settle('failed'), undecided: settle('undecided') }

const WITHDRAW = (
  { db, listed }: Tools,
  { ids, why, settledAt }: Given<Pick<Change, 'ids' | 'why' | 'settledAt'>>,
) =>
  db
    .updateTable('deliveries')
    .set({ state: status('withdrawn'), why, settledAt })
    .where('id', 'in', listed(ids))
    .where(startsFrom('withdraw'))
    .returning(['seq', 'id'])

const REQUEUE = (
  { db, listed }: Tools,
  { ids, nextAttemptAt, why }: Given<Pick<Change, 'ids' | 'nextAttemptAt' | 'why'>>,
) =>
  db
    .updateTable('deliveries')
    .set({
      state: status('waiting'),
      lane: NULL,
      batch: NULL,
      claimedAt: NULL,
      handedAt: NULL,
      nextAttemptAt,
      why,
    })
    .where('id', 'in', listed(ids))
    .where(startsFrom('requeue'))

/**
 * What was handed over stays with the one who has it. Due at once for the new recipient, with its
 * own count of attempts.
 */
const REROUTE = (
  { db, listed }: Tools,
  {
    from,
    recipient,
    why,
    but,
  }: Given<{
    from: Recipient
    recipient: Recipient
    why: string | null
    but: readonly DeliveryId[]
  }>,
) =>
  db
    .updateTable('deliveries')
    .set(({ fn, ref }) => ({
      recipient,
      why: fn.coalesce(why, ref('why')),
      state: status('waiting'),
      lane: NULL,
      batch: NULL,
      claimedAt: NULL,
      attempts: ZERO,
      nextAttemptAt: ref('createdAt'),
    }))
    .where('recipient', '=', from)
    .where('id', 'not in', listed(but))
    .where(startsFrom('reroute'))
    .returning(['seq', 'id'])

/** Settled, or handed over to one that never confirms. */
const PRUNE = ({ db }: Tools, { before }: Given<{ before: number }>) =>
  db
    .deleteFrom('deliveries')
    .where(({ eb, or, and }) =>
      or([
        eb('settledAt', '<', before),
        and([eb('state', '=', status('handed')), eb('handedAt', '<', before)]),
      ]),
    )

/** `returning` promises no order; the order of insertion is what readers expect. */
function inOrder<Row extends { seq?: number }>(found: Row[]): Omit<Row, 'seq'>[] {
  found.sort((left, right) => (left.seq ?? 0) - (right.seq ?? 0))
  return found.map(({ seq: _, ...row }) => row)
}
