import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Delivery, Store, StoredEvent, StoreTransaction } from '../adapters/store/store.ts'
import type { Clock } from '../core/clock.ts'
import type { SameHead } from '../rebased-heads.ts'
import { hasFailed, isReady } from './pr-diff.ts'
import type { Publisher } from './publish.ts'

/** What a message is about, where that may no longer be so when it is delivered: the pull request’s URL; null for all else. */
export const subjectOf = ({ type, payload }: Pick<StoredEvent, 'type' | 'payload'>): string | null =>
  /^(pr|ci|review)\./.test(type) && typeof payload['url'] === 'string' ? payload['url'] : null

/** Why what a message says is no longer so, now that its pull request is as it is; undefined where it still is. */
export function outdated(event: Pick<StoredEvent, 'type' | 'payload'>, pull: PullRequestSnapshot, sameHead: SameHead): string | undefined {
  const { type, payload } = event
  const about = `#${pull.number}`
  const ended = pull.state === 'open' ? undefined : `${about} is ${pull.state}`
  const sha = typeof payload['sha'] === 'string' ? payload['sha'] : pull.head.sha
  const elsewhere = typeof payload['base'] !== 'string' || payload['base'] === pull.base.branch ? undefined : `${about} goes into ${pull.base.branch} by now`
  const moved = sameHead(sha, pull.head.sha) ? undefined : `${about} has another head by now`
  switch (type) {
    case 'pr.ready':
      return ended ?? moved ?? elsewhere ?? (isReady(pull) ? undefined : `${about} can’t be merged any more`)
    case 'pr.behind':
      return ended ?? moved
    case 'pr.conflict':
      return ended ?? (pull.mergeable === 'mergeable' ? `${about} no longer conflicts` : undefined)
    case 'ci.failed':
      return (
        ended ??
        moved ??
        (pull.checksState === 'passed' || (pull.checksState === 'pending' && !pull.checks.some(hasFailed))
          ? `the checks of ${about} were run again`
          : undefined)
      )
    case 'pr.pushed':
    case 'pr.stalled':
      return ended
    case 'review.timeout':
      return ended ?? (pull.reviews.some(({ trusted, commit }) => trusted && sameHead(commit, pull.head.sha)) ? `${about} was reviewed` : undefined)
    case 'pr.closed':
      return pull.state === 'open' ? `${about} is open again` : undefined
    default:
      return undefined
  }
}

/** Withdraws what waits about one subject and fits; each with an event that says why. */
export async function withdraw(
  deps: { readonly tx: StoreTransaction; readonly store: Pick<Store, 'signal'>; readonly publisher: Publisher; readonly clock: Clock },
  subject: string,
  reasonOf: (event: StoredEvent, delivery: Delivery) => string | undefined,
): Promise<void> {
  const { tx, store, publisher, clock } = deps
  for (const delivery of await tx.outbox.list({ subject, states: ['queued'] })) {
    const event = delivery.eventSeq === null ? undefined : (await tx.events.list({ after: delivery.eventSeq - 1, limit: 1 }))[0]
    const reason = event?.seq === delivery.eventSeq ? reasonOf(event, delivery) : undefined
    if (reason === undefined || (await tx.outbox.withdraw([delivery.id], reason, clock())).length === 0) continue
    const agentId = delivery.recipient === 'human' ? null : delivery.recipient
    await publisher.publish({ type: 'delivery.withdrawn', agentId, actor: 'daemon', payload: { delivery_id: delivery.id, reason } }, tx)
    // Whoever waits for the agent counts it as idle only once nothing is on its way to it.
    if (agentId !== null) tx.afterCommit(() => void store.signal(agentId).catch(() => {}))
  }
}
