import type { PullRequestSnapshot, Review } from '../adapters/forge/forge.ts'
import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Delivery, StoredEvent } from '../domain/records.ts'
import type { Clock } from '../domain/clock.ts'
import type { Recipient } from '../domain/ids.ts'
import { conflictSubjectOf } from '../domain/formats/conflict-subject.ts'
import { mailSubjectOf } from '../domain/formats/mail-subject.ts'
import type { SameHead } from '../domain/rebased-heads.ts'
import { hasFailed, isReady } from '../core/pulls/readiness.ts'
import { PULL_PREFIX, type PullRecord, type Tracking } from '../core/pulls/pull-records.ts'
import { definitionOf } from '../events/event.ts'
import type { Publisher } from '../events/publish.ts'

const OF_A_PULL = /^(pr|ci|review|landing)\./
const OF_A_BASE = /^base\.(red|green)$/
const OF_A_CONFLICT = /^conflict\./
const OF_A_LIFE = /^agent\.(idle|completed|failed|killed)$/

/**
 * What a message is about, where that may no longer be so, or be known already, when it is
 * delivered: a pull request’s URL, a base, two agents that conflict, a mail, an agent that rests or ended; null for all else.
 */
export function subjectOf(event: StoredEvent): string | null {
  const { type, payload } = event
  if (OF_A_PULL.test(type)) return typeof payload['url'] === 'string' ? payload['url'] : null
  if (OF_A_BASE.test(type)) return `base:${String(payload['branch'])}`
  if (OF_A_CONFLICT.test(type)) return conflictSubjectOf(String(payload['pair']))
  const life = OF_A_LIFE.test(type) && event.agentId !== null ? `agent:${event.agentId}` : null
  return mailSubjectOf(event) ?? life
}

/**
 * Whether what waits for the same recipient about the same subject, of this type, is older news of
 * the same.
 */
export const isState = ({ type }: Pick<StoredEvent, 'type'>): boolean =>
  (OF_A_PULL.test(type) || OF_A_BASE.test(type) || OF_A_CONFLICT.test(type)) &&
  definitionOf(type)?.stays !== true

/** Whether what it is about has one state at a time, of which the newest is what counts. */
export const hasStates = ({ type }: Pick<StoredEvent, 'type'>): boolean =>
  OF_A_PULL.test(type) || OF_A_BASE.test(type) || OF_A_CONFLICT.test(type) || OF_A_LIFE.test(type)

/** What is known of a pull request by now. */
export interface Known {
  readonly pull: PullRequestSnapshot
  readonly tracking: Pick<Tracking, 'progressAt' | 'reviewSince'>
  readonly sameHead: SameHead
}

/**
 * Why what a message says is no longer so, now that its pull request is as it is; undefined where
 * it still is, and where that can’t be determined.
 */
export function outdated(
  event: Pick<StoredEvent, 'type' | 'payload' | 'at'>,
  recipient: Recipient,
  known: Known,
): string | undefined {
  const { type, payload } = event
  const { pull, tracking, sameHead } = known
  const about = `#${pull.number}`
  const ended = pull.state === 'open' ? undefined : `${about} is ${pull.state}`
  const sha = typeof payload['sha'] === 'string' ? payload['sha'] : pull.head.sha
  const elsewhere =
    typeof payload['base'] !== 'string' || payload['base'] === pull.base.branch
      ? undefined
      : `${about} goes into ${pull.base.branch} by now`
  const moved = sameHead(sha, pull.head.sha) ? undefined : `${about} has another head by now`
  const isReview = ({ trusted, author, commit }: Review): boolean =>
    trusted && author !== pull.agentId && sameHead(commit, pull.head.sha)
  const scheduled =
    pull.scheduled === undefined ? undefined : `${about} is merged by the forge itself by now`
  const reviewed = pull.reviews.some(isReview) ? `${about} was reviewed` : undefined
  // Whoever merged into the base before has nothing to do with it any more.
  if (isState(event) && elsewhere !== undefined && recipient !== pull.agentId)
    return ended ?? elsewhere
  switch (type) {
    case 'pr.ready':
      return (
        ended ??
        moved ??
        elsewhere ??
        scheduled ??
        (mayBeReady(pull) ? undefined : `${about} can’t be merged any more`)
      )
    case 'pr.blocked':
      return (
        ended ?? moved ?? elsewhere ?? (isReady(pull) ? `${about} can be merged now` : undefined)
      )
    case 'pr.unscheduled':
      return ended ?? moved ?? elsewhere ?? scheduled
    case 'pr.opened':
      return ended ?? elsewhere
    case 'pr.behind':
      return ended ?? moved ?? elsewhere
    case 'pr.conflict':
      return (
        ended ??
        elsewhere ??
        (pull.mergeable === 'mergeable' ? `${about} no longer conflicts` : undefined)
      )
    case 'ci.failed':
      return (
        ended ??
        moved ??
        (pull.checksState === 'passed' ||
        (pull.checksState === 'pending' && !pull.checks.some(hasFailed))
          ? `the checks of ${about} were run again`
          : undefined)
      )
    case 'landing.red':
      return (
        ended ?? moved ?? elsewhere ?? (isReady(pull) ? `${about} can be merged again` : undefined)
      )
    case 'landing.culprit':
    case 'landing.stopped':
    case 'pr.retargeted':
      return ended ?? elsewhere
    case 'pr.pushed':
      return ended ?? reviewed
    case 'pr.stalled':
      return ended ?? (tracking.progressAt > event.at ? `${about} goes on` : undefined)
    case 'review.timeout':
      return (
        ended ??
        reviewed ??
        (tracking.reviewSince > event.at ? `${about} has another head by now` : undefined)
      )
    case 'pr.closed':
      return pull.state === 'closed'
        ? undefined
        : `${about} is ${pull.state === 'open' ? 'open again' : pull.state}`
    case 'pr.reopened':
      return ended
    case 'pr.review':
      return (
        decidedAnew(payload, pull) ??
        (payload['state'] === 'approved'
          ? ended
          : payload['state'] === 'changes_requested' && pull.state === 'merged'
            ? ended
            : undefined)
      )
    default:
      return undefined
  }
}

/** What is not known now was known when it was found ready: nothing says that it isn’t. */
const mayBeReady = (pull: PullRequestSnapshot): boolean =>
  isReady({
    ...pull,
    mergeable: pull.mergeable === 'unknown' ? 'mergeable' : pull.mergeable,
    checksState: pull.checksState === 'unknown' ? 'passed' : pull.checksState,
  })

/** Its author decided otherwise since, or took it back. */
function decidedAnew(
  payload: StoredEvent['payload'],
  pull: PullRequestSnapshot,
): string | undefined {
  if (payload['state'] === 'commented') return undefined
  const decisions = pull.reviews.filter(({ state }) => state !== 'commented')
  const own = decisions.find(
    ({ id, state }) => id === payload['review_id'] && state === payload['state'],
  )
  if (own === undefined) return `that review of #${pull.number} no longer stands`
  const last = decisions.findLast(({ author }) => author === own.author)
  return last === undefined || last.state === own.state
    ? undefined
    : `${last.authorName} decided otherwise since`
}

/**
 * Of what waits for one recipient, what may be handed over now: that a pull request can be merged
 * is kept back while that is being looked at anew, after its base has moved.
 */
export async function settledNews<Waiting extends Pick<Delivery, 'kind' | 'eventSeq' | 'subject'>>(
  { events, snapshots }: Pick<Store, 'events' | 'snapshots'>,
  waiting: readonly Waiting[],
): Promise<Waiting[]> {
  const isSettled = async ({ kind, eventSeq, subject }: Waiting): Promise<boolean> => {
    if (kind !== 'pr.ready' || eventSeq === null) return true
    const [event] = await events.list({ after: eventSeq - 1, limit: 1 })
    const record = (await snapshots.get(`${PULL_PREFIX}${Number(event?.payload['number'])}`)) as
      | PullRecord
      | undefined
    if (record?.snapshot.url !== subject) return true
    const { snapshot: pull, tracking } = record
    if (pull.mergeable === 'unknown' || pull.checksState === 'unknown') return false
    const { sha: tip, mergedSeq } = (await snapshots.get(`base:${pull.base.branch}`)) ?? {}
    if (typeof mergedSeq === 'number' && mergedSeq > (tracking.lookedSeq ?? Infinity)) return false
    return typeof tip !== 'string' || pull.base.sha === null || tip === pull.base.sha
  }
  const settled = await Promise.all(waiting.map(isSettled))
  return waiting.filter((_, index) => settled[index])
}

/**
 * Withdraws what waits about one subject and fits, each with an event that says why. Returns the
 * types of what was withdrawn.
 */
export async function withdraw(
  deps: {
    readonly tx: StoreTransaction
    readonly store: Pick<Store, 'signal'>
    readonly publisher: Publisher
    readonly clock: Clock
  },
  subject: string,
  reasonOf: (event: StoredEvent, delivery: Delivery) => string | undefined,
): Promise<string[]> {
  const { tx, store, publisher, clock } = deps
  const withdrawn: string[] = []
  for (const delivery of await tx.outbox.list({ subject, states: ['queued'] })) {
    const event =
      delivery.eventSeq === null
        ? undefined
        : (await tx.events.list({ after: delivery.eventSeq - 1, limit: 1 }))[0]
    const reason = event?.seq === delivery.eventSeq ? reasonOf(event, delivery) : undefined
    if (
      reason === undefined ||
      (await tx.outbox.withdraw([delivery.id], reason, clock())).length === 0
    )
      continue
    withdrawn.push(delivery.kind)
    const agentId = delivery.recipient === 'human' ? null : delivery.recipient
    await publisher.publish(
      {
        type: 'delivery.withdrawn',
        agentId,
        actor: 'daemon',
        payload: { delivery_id: delivery.id, reason },
      },
      tx,
    )
    // Whoever waits for the agent counts it as idle only once nothing is on its way to it.
    if (agentId !== null) tx.afterCommit(() => void store.signal(agentId).catch(() => {}))
  }
  return withdrawn
}
