import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { StoreVerbs } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { NewEvent } from '../events/event.ts'

/** What is remembered of a pull request beside its last snapshot. Times are milliseconds since the epoch. */
export interface Tracking {
  readonly lastMergeable: 'mergeable' | 'conflicting' | null
  /** Heads in a row whose checks failed, and the last of them. */
  readonly failedHeads: number
  readonly lastFailedHead: string | null
  /** Failed checks and change requests since it was last green. */
  readonly rounds: number
  /** When something last happened to it. */
  readonly progressAt: number
  /** Since when a review of the head is awaited, and whether after fixes. */
  readonly reviewSince: number
  readonly afterFixes: boolean
  /** The last event there was when it was read last. Absent from what was stored before. */
  readonly lookedSeq?: number
  /** How often news of it was withdrawn before anybody had it: what is so again is told again. Absent: never. */
  readonly withdrawn?: number
}

/** What is stored of each under `pull:<number>`. */
export interface PullRecord {
  readonly snapshot: PullRequestSnapshot
  readonly tracking: Tracking
}

export const PULL_PREFIX = 'pull:'

/** Branches whose newest pull request is open and no draft, or merged: their work is filed. */
export async function filedBranches(verbs: Pick<StoreVerbs, 'snapshots'>): Promise<Set<string>> {
  const filed = new Set<string>()
  const records = [...(await verbs.snapshots.list(PULL_PREFIX)).values()] as unknown as PullRecord[]
  for (const { snapshot } of records.toSorted((a, b) => a.snapshot.number - b.snapshot.number)) {
    if (snapshot.state === 'merged' || (snapshot.state === 'open' && !snapshot.draft)) filed.add(snapshot.head.branch)
    else filed.delete(snapshot.head.branch)
  }
  return filed
}

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
export function track(before: Tracking, next: PullRequestSnapshot, events: readonly NewEvent[], now: number): Tracking {
  // Of one that is opened again, or goes into another base, it is news anew.
  const lastOnBase = events.some(({ type }) => type === 'pr.retargeted') ? null : before.lastMergeable
  const lastMergeable = next.state !== 'open' ? null : next.mergeable === 'unknown' ? lastOnBase : next.mergeable
  let after: Tracking = { ...before, lastMergeable }
  if (events.length > 0) after = { ...after, progressAt: now }
  for (const event of events) {
    switch (event.type) {
      case 'ci.failed': {
        // Jobs of a head fail one after another, and it is still one round.
        const rounds = after.lastFailedHead === event.payload.sha ? after.rounds : after.rounds + 1
        after = { ...after, rounds, failedHeads: failuresBefore(after, event.payload.sha) + 1, lastFailedHead: event.payload.sha }
        break
      }
      case 'ci.passed':
        after = { ...after, failedHeads: 0, lastFailedHead: null }
        break
      case 'pr.ready':
        after = { ...after, rounds: 0 }
        break
      case 'pr.review':
        if (event.payload.state === 'changes_requested') after = { ...after, rounds: after.rounds + 1 }
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
export function deadlinesOf(tracking: Tracking, pull: PullRequestSnapshot, config: Config['forge']): Deadline[] {
  // In a merge queue nobody can do anything for it.
  if (pull.state !== 'open' || pull.scheduled?.kind === 'queue') return []
  const deadlines: Deadline[] = [{ kind: 'stalled', at: tracking.progressAt + config.stalled_after * 1000 }]
  if (awaitsReview(pull)) {
    deadlines.push({ kind: 'review', at: tracking.reviewSince + reviewPatience(tracking, config) * 1000 })
  }
  return deadlines
}

/** Seconds. */
export const reviewPatience = (tracking: Tracking, config: Config['forge']): number =>
  tracking.afterFixes ? config.review_timeout_after_fixes : config.review_timeout

/** Nobody whose word counts has looked at its head. */
const awaitsReview = (pull: PullRequestSnapshot): boolean =>
  !pull.draft &&
  pull.scheduled?.kind !== 'queue' &&
  !pull.reviews.some(({ commit, author, trusted }) => trusted && commit === pull.head.sha && author !== pull.agentId)

/** Somebody is at work on it, or ought to be: looked at often. */
export const isActive = (pull: PullRequestSnapshot): boolean =>
  pull.state === 'open' &&
  (pull.checksState === 'pending' || pull.checksState === 'unknown' || pull.mergeable === 'unknown' || pull.scheduled?.kind === 'queue' || awaitsReview(pull))
