import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Config } from '../config/schema.ts'
import type { NewEvent } from '../events/event.ts'
import type { Tracking } from '../core/pulls/pull-records.ts'

export const untracked = (now: number): Tracking => ({
  lastMergeable: null,
  failedHeads: 0,
  lastFailedHead: null,
  rounds: 0,
  progressAt: now,
  reviewSince: now,
  afterFixes: false,
})

/** Failed heads in a row before this one. */
export const failuresBefore = (tracking: Tracking, head: string): number =>
  tracking.lastFailedHead === head ? Math.max(tracking.failedHeads - 1, 0) : tracking.failedHeads

/** The next memory, after these events. Pure. */
export function track(
  before: Tracking,
  next: PullRequestSnapshot,
  events: readonly NewEvent[],
  now: number,
): Tracking {
  // Of one that is opened again, or goes into another base, it is news anew.
  const lastOnBase = events.some(({ type }) => type === 'pr.retargeted')
    ? null
    : before.lastMergeable
  const lastMergeable =
    next.state !== 'open' ? null : next.mergeable === 'unknown' ? lastOnBase : next.mergeable
  let after: Tracking = { ...before, lastMergeable }
  if (events.length > 0) after = { ...after, progressAt: now }
  for (const event of events) {
    switch (event.type) {
      case 'ci.failed': {
        // Jobs of a head fail one after another, and it is still one round.
        const rounds = after.lastFailedHead === event.payload.sha ? after.rounds : after.rounds + 1
        after = {
          ...after,
          rounds,
          failedHeads: failuresBefore(after, event.payload.sha) + 1,
          lastFailedHead: event.payload.sha,
        }
        break
      }
      case 'ci.passed':
        after = { ...after, failedHeads: 0, lastFailedHead: null }
        break
      case 'pr.ready':
        after = { ...after, rounds: 0 }
        break
      case 'pr.review':
        if (event.payload.state === 'changes_requested')
          after = { ...after, rounds: after.rounds + 1 }
        break
      case 'pr.opened':
      case 'pr.reopened':
        after = { ...after, reviewSince: now, afterFixes: false }
        break
      case 'pr.pushed':
        after = { ...after, reviewSince: now, afterFixes: event.payload.after_changes_requested }
        break
      default:
    }
  }
  return after
}

export interface Deadline {
  readonly kind: 'review' | 'stalled'
  readonly at: number
}

/** What is due when, unless something happens before. */
export function deadlinesOf(
  tracking: Tracking,
  pull: PullRequestSnapshot,
  config: Config['forge'],
): Deadline[] {
  // In a merge queue nobody can do anything for it.
  if (pull.state !== 'open' || pull.scheduled?.kind === 'queue') return []
  const deadlines: Deadline[] = [
    { kind: 'stalled', at: tracking.progressAt + config.stalled_after * 1000 },
  ]
  if (awaitsReview(pull)) {
    deadlines.push({
      kind: 'review',
      at: tracking.reviewSince + reviewTimeout(tracking, config) * 1000,
    })
  }
  return deadlines
}

/** Seconds. */
export const reviewTimeout = (tracking: Tracking, config: Config['forge']): number =>
  tracking.afterFixes ? config.review_timeout_after_fixes : config.review_timeout

/** Nobody whose word counts has looked at its head. */
const awaitsReview = (pull: PullRequestSnapshot): boolean =>
  !pull.draft &&
  pull.scheduled?.kind !== 'queue' &&
  !pull.reviews.some(
    ({ commit, author, trusted }) => trusted && commit === pull.head.sha && author !== pull.agentId,
  )

/** Somebody is at work on it, or ought to be: looked at often. */
export const isActive = (pull: PullRequestSnapshot): boolean =>
  pull.state === 'open' &&
  (pull.checksState === 'pending' ||
    pull.checksState === 'unknown' ||
    pull.mergeable === 'unknown' ||
    pull.scheduled?.kind === 'queue' ||
    awaitsReview(pull))
