import { ExomonadError } from './errors.ts'
import type { Delivery, DeliveryStatus, Lane } from './records.ts'

/**
 * The life of a delivery:
 *
 * It is stored as `waiting`, in the transaction of what it reports. A lane that is about to hand it
 * over **claims** it, alone or with others as one batch, before anything is typed, sent or
 * returned: `claimed`. Only one lane ever wins. When the lane is through with it, that is
 * **noted**: `handed`. So what a crash leaves `claimed` may or may not have arrived, and what it
 * leaves `waiting` has certainly not.
 *
 * What proves that it arrived (the prompt hook with its id, its conversation, `exomonad ack`)
 * **acknowledges** it: `acked`. A program that confirms nothing never gets there: `handed` is all
 * that is ever known of it. Proof that it did not arrive **requeues** it: `waiting`. Where neither
 * can be proven it is `undecided`, shown to a person and never handed over again, and a late
 * confirmation still acknowledges it. While it is claimed or handed, what is known of the
 * hand-over beyond this is in the daemon's memory (`Unconfirmed` in outbox-unconfirmed.ts).
 *
 * Where its agent is gone, what certainly has not been read is **rerouted** to the next in line,
 * where it is `waiting` again; what was handed to one that never confirmed is `undecided`, or
 * `failed` if the agent was killed on purpose. What is no longer true while it waits is
 * **withdrawn**.
 *
 *   enqueue ─▶ waiting ──claim──▶ claimed ──note──▶ handed
 *                ▲ ▲                 │                │
 *                │ └─requeue, reroute┘                │
 *                └──────────────requeue───────────────┘
 *
 *   waiting ──withdraw──▶ withdrawn
 *   waiting, claimed, handed ──settle──▶ acked | failed | undecided
 *   undecided ──settle──▶ acked
 *
 * `acked`, `failed` and `withdrawn` are final; that a hand-over is noted after it was settled adds
 * its time, because a prompt hook can be quicker. What is `waiting` is settled directly when its
 * recipient reads it in the inbox or by its id, or was given the same another way.
 */
export type DeliveryState =
  | { readonly name: 'waiting'; readonly why: string | null }
  | ({ readonly name: 'claimed'; readonly why: string | null } & Claim)
  | ({ readonly name: 'handed'; readonly why: string | null; readonly handedAt: number } & Claim)
  | Settled<'acked'>
  | Settled<'failed'>
  | Settled<'undecided'>
  | { readonly name: 'withdrawn'; readonly why: string; readonly settledAt: number }

/** By which lane, in which batch, and since when (ms since the epoch). */
export interface Claim {
  readonly lane: Lane
  readonly batch: string
  readonly claimedAt: number
}

/** `handedAt`: when it was noted; null where it was not. */
interface HandOver extends Claim {
  readonly handedAt: number | null
}

interface Settled<Name> {
  readonly name: Name
  readonly why: string | null
  readonly settledAt: number
  /** Null where it was settled without one. */
  readonly handOver: HandOver | null
}

/** What changes a delivery. Times are ms since the epoch. */
export type DeliveryChange =
  | ({ readonly by: 'claim' } & Claim)
  | { readonly by: 'note'; readonly handedAt: number }
  | {
      readonly by: 'acked' | 'failed' | 'undecided'
      readonly why: string | null
      readonly settledAt: number
    }
  | { readonly by: 'withdraw'; readonly why: string; readonly settledAt: number }
  | { readonly by: 'requeue' | 'reroute'; readonly why: string }

type Name = DeliveryState['name']

/** From which states each change leads on. The store's statements are made of this table. */
export const CHANGES_FROM = {
  claim: ['waiting'],
  note: ['claimed', 'handed', 'acked', 'failed', 'undecided'],
  acked: ['waiting', 'claimed', 'handed', 'undecided'],
  failed: ['waiting', 'claimed', 'handed'],
  undecided: ['waiting', 'claimed', 'handed'],
  withdraw: ['waiting'],
  requeue: ['waiting', 'claimed', 'handed'],
  reroute: ['waiting', 'claimed'],
} as const satisfies Readonly<Record<DeliveryChange['by'], readonly Name[]>>

/** What a change makes of a state; undefined where it does not apply, and changes nothing. */
export function afterChange(
  state: DeliveryState,
  change: DeliveryChange,
): DeliveryState | undefined {
  const from: readonly Name[] = CHANGES_FROM[change.by]
  if (!from.includes(state.name)) return undefined
  switch (change.by) {
    case 'claim': {
      const { lane, batch, claimedAt } = change
      return { name: 'claimed', why: state.why, lane, batch, claimedAt }
    }
    case 'note':
      return noted(state, change.handedAt)
    case 'acked':
    case 'failed':
    case 'undecided': {
      const { by: name, why, settledAt } = change
      return { name, why, settledAt, handOver: handOverOf(state) }
    }
    case 'withdraw':
      return { name: 'withdrawn', why: change.why, settledAt: change.settledAt }
    case 'requeue':
    case 'reroute':
      return { name: 'waiting', why: change.why }
  }
}

function noted(state: DeliveryState, handedAt: number): DeliveryState | undefined {
  switch (state.name) {
    case 'waiting':
    case 'withdrawn':
      return undefined
    case 'claimed':
    case 'handed':
      return { ...state, name: 'handed', handedAt }
    case 'acked':
    case 'failed':
    case 'undecided':
      return state.handOver === null
        ? undefined
        : { ...state, handOver: { ...state.handOver, handedAt } }
  }
}

/** The hand-over that it is in, or was settled after; null where there is none. */
export function handOverOf(state: DeliveryState): HandOver | null {
  switch (state.name) {
    case 'waiting':
    case 'withdrawn':
      return null
    case 'claimed':
    case 'handed': {
      const { lane, batch, claimedAt } = state
      return { lane, batch, claimedAt, handedAt: state.name === 'handed' ? state.handedAt : null }
    }
    case 'acked':
    case 'failed':
    case 'undecided':
      return state.handOver
  }
}

/** Claimed, and not settled: whether it arrives is to be proven, where that can be. */
export const isOnItsWay = (
  state: DeliveryState,
): state is Extract<DeliveryState, { name: 'claimed' | 'handed' }> =>
  state.name === 'claimed' || state.name === 'handed'

/** The columns of a stored delivery that say in which state it is. */
export type DeliveryColumns = Pick<
  Delivery,
  'state' | 'lane' | 'batch' | 'claimedAt' | 'handedAt' | 'settledAt' | 'why'
>

/** The word that rows have for each state. */
export const STATUS_OF = {
  waiting: 'queued',
  claimed: 'sent',
  handed: 'sent',
  acked: 'acked',
  failed: 'failed',
  undecided: 'undecided',
  withdrawn: 'withdrawn',
} as const satisfies Readonly<Record<Name, DeliveryStatus>>

/** The state of a stored delivery. INTERNAL for a row that no change leads to. */
export function stateOf(row: DeliveryColumns): DeliveryState {
  const { state, lane, batch, claimedAt, handedAt, settledAt, why } = row
  const claim =
    lane === null || batch === null || claimedAt === null ? null : { lane, batch, claimedAt }
  const isUnclaimed = lane === null && batch === null && claimedAt === null && handedAt === null
  if (claim !== null || isUnclaimed)
    switch (state) {
      case 'queued':
        if (claim === null && settledAt === null) return { name: 'waiting', why }
        break
      case 'sent':
        if (claim === null || settledAt !== null) break
        return handedAt === null
          ? { name: 'claimed', why, ...claim }
          : { name: 'handed', why, ...claim, handedAt }
      case 'acked':
      case 'failed':
      case 'undecided': {
        if (settledAt === null) break
        const handOver = claim === null ? null : { ...claim, handedAt }
        return { name: state, why, settledAt, handOver }
      }
      case 'withdrawn':
        if (claim === null && settledAt !== null && why !== null)
          return { name: 'withdrawn', why, settledAt }
    }
  const columns = JSON.stringify({ lane, batch, claimedAt, handedAt, settledAt })
  throw new ExomonadError('INTERNAL', `no delivery that is ${state} has these columns: ${columns}`)
}

/** The other way around. */
export function columnsOf(state: DeliveryState): DeliveryColumns {
  const { lane, batch, claimedAt, handedAt } = handOverOf(state) ?? UNCLAIMED
  const settledAt = 'settledAt' in state ? state.settledAt : null
  return {
    state: STATUS_OF[state.name],
    lane,
    batch,
    claimedAt,
    handedAt,
    settledAt,
    why: state.why,
  }
}

const UNCLAIMED = { lane: null, batch: null, claimedAt: null, handedAt: null }
