import type { LineComment, PullRequestSnapshot, Review } from '../adapters/forge/forge.ts'
import type { Check } from '../adapters/forge/check.ts'
import type { CancelledMerge } from '../adapters/forge/scheduled.ts'
import type { Actor } from '../domain/ids.ts'
import type { SameHead } from '../domain/rebased-heads.ts'
import type { NewEvent } from '../events/event.ts'
import { commentForAgents, reviewForAgents } from './redact-untrusted.ts'
import { hasFailed, isReady, blockersOf } from '../core/pulls/readiness.ts'

/** What two snapshots don’t tell. */
export interface DiffContext {
  /** Begins every dedupe key: forge and repository. */
  readonly repository: string
  /** Words before this are old news at the first sight (ms since the epoch). */
  readonly newsSince: number
  /** Mergeability when it was last known: unknown in between is no change. */
  readonly lastMergeable: 'mergeable' | 'conflicting' | null
  /** Heads in a row whose checks failed, the present head not counted. */
  readonly failures: number
  /**
   * Whether two heads are the same work, rebased by exomonad: what was told of the one holds for
   * the other.
   */
  readonly sameHead: SameHead
  /** How often news of it was withdrawn before anybody had it. */
  readonly withdrawn: number
  /** Who decided on the merge here; null where nobody did. */
  readonly mergeStartedBy: Actor | null
  /** The forge made that by itself, a while after it was asked to. */
  readonly mergeScheduled?: boolean
  /** Whose own merges of it came to nothing, where somebody else has made it. */
  readonly triedBy?: readonly Actor[] | undefined
  /** Git remote that holds the branches. */
  readonly remote: string
  /**
   * Why the base here does not have a merge that was made on the forge; null where it has, and of
   * all others.
   */
  readonly localError?: string | undefined
  /** The forge was to merge it by itself, and does not any more. */
  readonly cancelled?: CancelledMerge | undefined
}

/**
 * The events between two looks at a pull request; the same for all forges. Pure and idempotent:
 * nothing changed, no events. What is unknown is never one. The first sight (`old` null) tells the
 * state, and words only where they are news.
 */
export function diffPullRequest(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
): NewEvent[] {
  const facts = factsOf(next)
  const key = (rest: string): string => `${context.repository}#${next.number}:${rest}`
  const agentId = next.agentId
  const owner: Actor = agentId ?? 'daemon'
  const events: NewEvent[] = []

  if (old === null)
    events.push({
      type: 'pr.opened',
      agentId,
      actor: owner,
      payload: { ...facts, draft: next.draft },
      dedupeKey: key('opened'),
    })
  if (old?.state === 'closed' && next.state === 'open') {
    events.push({
      type: 'pr.reopened',
      agentId,
      actor: 'daemon',
      payload: facts,
      dedupeKey: key(`st:open:${next.updatedAt}`),
    })
  }
  if (old !== null && old.base.branch !== next.base.branch) {
    const payload = { ...facts, old_base: old.base.branch }
    events.push({
      type: 'pr.retargeted',
      agentId,
      actor: 'daemon',
      payload,
      dedupeKey: key(`rt:${old.base.branch}:${next.base.branch}:${next.updatedAt}`),
    })
  }
  if (old !== null && old.head.sha !== next.head.sha) {
    const payload = {
      ...facts,
      old: old.head.sha,
      new: next.head.sha,
      after_changes_requested: changesWereRequested(old, next),
      copilot_reviewed: copilotReviewed(old, next),
    }
    events.push({
      type: 'pr.pushed',
      agentId,
      actor: owner,
      payload,
      dedupeKey: key(`push:${old.head.sha}:${next.head.sha}`),
    })
  }
  events.push(...words(old, next, context, facts, key))
  if (next.state === 'open') events.push(...condition(old, next, context, facts, key))
  if (next.state === 'merged' && old?.state !== 'merged') {
    const byForge = isByForge(next)
    const actor = byForge
      ? (context.mergeStartedBy ?? next.mergedBy ?? 'daemon')
      : (next.mergedBy ?? 'daemon')
    const external = byForge && context.mergeStartedBy === null
    const payload = {
      ...facts,
      sha: next.mergeSha,
      by: actor,
      external,
      ...localFacts(context),
      tried_by: external ? [...(context.triedBy ?? [])] : [],
      scheduled: context.mergeScheduled === true,
    }
    events.push({ type: 'pr.merged', agentId, actor, payload, dedupeKey: key('merged') })
  }
  if (next.state === 'closed' && old?.state !== 'closed') {
    events.push({
      type: 'pr.closed',
      agentId,
      actor: 'daemon',
      payload: facts,
      dedupeKey: key(`st:closed:${next.updatedAt}`),
    })
  }
  return events
}

const localFacts = ({ remote, localError }: DiffContext) => ({
  remote,
  local_error: localError ?? null,
})

/**
 * Whoever merged it did so on the forge, as far as that says: an agent's merge there bears the
 * token's account.
 */
export const isByForge = ({ mergedBy }: PullRequestSnapshot): boolean =>
  mergedBy === null || mergedBy.startsWith('forge:')

type Facts = Readonly<{ number: number; title: string; url: string; head: string; base: string }>

export const factsOf = ({ number, title, url, head, base }: PullRequestSnapshot): Facts => ({
  number,
  title,
  url,
  head: head.branch,
  base: base.branch,
})

/** Reviews and comments that were not there before. */
function words(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
  facts: Facts,
  key: (rest: string) => string,
): NewEvent[] {
  const events: NewEvent[] = []
  const isNews = (at: number): boolean => old !== null || at >= context.newsSince
  const before = new Map((old?.reviews ?? []).map((review) => [review.id, review]))
  for (const review of next.reviews
    .filter(({ submittedAt }) => isNews(submittedAt))
    .map(reviewForAgents)) {
    const known = before.get(review.id)
    if (known === undefined || known.state !== review.state) {
      const payload = {
        ...facts,
        review_id: review.id,
        state: review.state,
        author: review.authorName,
        body: review.body,
        comments: review.trusted
          ? review.comments.map(({ id, path, line, body, author }) => ({
              id,
              path,
              line,
              body,
              author: nameIn(review, author),
            }))
          : [],
        trusted: review.trusted,
        stale: review.commit !== next.head.sha,
      }
      events.push({
        type: 'pr.review',
        agentId: next.agentId,
        actor: review.author,
        payload,
        dedupeKey: key(`review:${review.id}:${review.state}`),
      })
      continue
    }
    const told = new Set(known.comments.map(({ id }) => id))
    for (const comment of review.comments.filter(({ id }) => !told.has(id))) {
      const { path, line, body } = comment
      const payload = {
        ...facts,
        comment_id: comment.id,
        path,
        line,
        body,
        author: nameIn(review, comment.author),
        trusted: review.trusted,
      }
      events.push({
        type: 'pr.thread_comment',
        agentId: next.agentId,
        actor: comment.author,
        payload,
        dedupeKey: key(`tc:${comment.id}`),
      })
    }
  }
  const known = new Set((old?.comments ?? []).map(({ id }) => id))
  const news = next.comments.filter(
    ({ id, at, author }) => !known.has(id) && isNews(at) && author !== next.agentId,
  )
  for (const comment of news.map(commentForAgents)) {
    const payload = {
      ...facts,
      comment_id: comment.id,
      author: comment.authorName,
      body: comment.body,
      trusted: comment.trusted,
    }
    events.push({
      type: 'pr.comment',
      agentId: next.agentId,
      actor: comment.author,
      payload,
      dedupeKey: key(`ic:${comment.id}`),
    })
  }
  return events
}

/** Checks, conflicts and whether it can be merged. */
function condition(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
  facts: Facts,
  keyOf: (rest: string) => string,
): NewEvent[] {
  const events: NewEvent[] = []
  const key = (rest: string): string =>
    keyOf(context.withdrawn === 0 ? rest : `${rest}:again${context.withdrawn}`)
  const about = { agentId: next.agentId, actor: 'daemon' } as const
  const sha = next.head.sha
  const before =
    old !== null && context.sameHead(old.head.sha, sha) ? { ...old, head: next.head } : old
  if (
    checksKey(next) !== null &&
    (before === null || before.state !== 'open' || checksKey(before) !== checksKey(next))
  ) {
    const dedupeKey = key(`ci:${checksKey(next)}`)
    if (next.checksState === 'pending')
      events.push({
        ...about,
        type: 'ci.pending',
        payload: { ...facts, sha, jobs: namesOf(next.checks) },
        dedupeKey,
      })
    if (next.checksState === 'passed')
      events.push({ ...about, type: 'ci.passed', payload: { ...facts, sha }, dedupeKey })
    if (next.checksState === 'failed') {
      const landing = next.checks.some((check) => hasFailed(check) && check.landing === true)
      const jobs = jobsOf(next.checks.filter(hasFailed))
      events.push({
        ...about,
        type: 'ci.failed',
        payload: {
          ...facts,
          sha,
          jobs,
          times: context.failures + 1,
          ...(landing ? { landing } : {}),
        },
        dedupeKey,
      })
    }
  }
  const merge = `mg:${sha}:${next.base.sha ?? next.base.branch}`
  const isElsewhere = old !== null && old.base.branch !== next.base.branch
  if (
    next.mergeable === 'conflicting' &&
    (context.lastMergeable !== 'conflicting' || isElsewhere)
  ) {
    events.push({
      ...about,
      type: 'pr.conflict',
      payload: { ...facts, files: [...next.conflictFiles] },
      dedupeKey: key(`${merge}:conflicting`),
    })
  }
  if (next.mergeable === 'mergeable' && context.lastMergeable === 'conflicting') {
    events.push({
      ...about,
      type: 'pr.conflict_cleared',
      payload: facts,
      dedupeKey: key(`${merge}:mergeable`),
    })
  }
  const { scheduled } = next
  if (scheduled !== undefined && old?.scheduled?.kind !== scheduled.kind) {
    const payload = { ...facts, sha, kind: scheduled.kind, by: scheduled.by }
    events.push({
      ...about,
      type: 'pr.scheduled',
      payload,
      dedupeKey: key(`scheduled:${scheduled.kind}:${sha}:${next.updatedAt}`),
    })
  }
  if (
    scheduled === undefined &&
    (context.cancelled !== undefined || old?.scheduled !== undefined)
  ) {
    const { kind, reason, at, failed } = context.cancelled ?? {
      kind: old!.scheduled!.kind,
      reason: null,
      at: next.updatedAt,
      failed: [],
    }
    const payload = { ...facts, sha, kind, reason, jobs: jobsOf(failed) }
    events.push({
      ...about,
      type: 'pr.unscheduled',
      payload,
      dedupeKey: key(`unscheduled:${kind}:${at}`),
    })
  }
  const ready = readyKey(next)
  // Why it was not merged with the same head is told, and what that asks for comes first.
  const stopped = before?.head.sha === sha && events.some(({ type }) => type === 'pr.unscheduled')
  if (ready !== null && !stopped && (before === null || readyKey(before) !== ready)) {
    events.push({
      ...about,
      type: 'pr.ready',
      payload: { ...facts, sha, unchecked: next.checksState === 'none' },
      dedupeKey: key(ready),
    })
  }
  const blocked = blockedKey(next)
  if (blocked !== null && (before === null || blockedKey(before) !== blocked)) {
    const blockers = blockersOf(next)
    const payload = {
      ...facts,
      sha,
      needs: blockers.map(({ needs }) => needs),
      behind: blockers.some(({ kind }) => kind === 'behind'),
      person: blockers.some(({ person }) => person),
    }
    events.push({ ...about, type: 'pr.blocked', payload, dedupeKey: key(blocked) })
  }
  return events
}

const jobsOf = (failed: readonly Check[]) =>
  failed.map(({ name, url, logTail }) => ({ name, url, log: logTail ?? '' }))
/** A run again of the same check on the same head is news. */
const labelsOf = (checks: readonly Check[]): string =>
  [...new Set(checks.map(({ name, run }) => (run ? `${name}@${run}` : name)))].sort().join(',')
const namesOf = (checks: readonly Check[]): string[] =>
  [...new Set(checks.map(({ name }) => name))].sort()

/** What the checks of the head say, as part of a key: null where they say nothing that is known. */
function checksKey({ head, checks, checksState }: PullRequestSnapshot): string | null {
  if (checksState === 'pending') return `${head.sha}:pending`
  if (checksState === 'passed') return `${head.sha}:passed:${labelsOf(checks)}`
  if (checksState === 'failed') return `${head.sha}:failed:${labelsOf(checks.filter(hasFailed))}`
  return null
}

/**
 * It could be merged, and the forge would not. What the forge merges once nothing stands against it
 * waits for just that.
 */
const isBlocked = (pull: PullRequestSnapshot): boolean => {
  const { scheduled, ...rest } = pull
  return (
    blockersOf(pull).length > 0 &&
    isReady({ ...rest, ...(scheduled?.kind === 'queue' ? { scheduled } : {}), blockers: [] })
  )
}

/**
 * What the forge asks for, as part of a key; null where it is not what stands in the way. One that
 * is behind is so anew with each move of its base.
 */
const blockedKey = (pull: PullRequestSnapshot): string | null => {
  if (!isBlocked(pull)) return null
  const needs = blockersOf(pull).map(({ kind, needs, about = needs }) =>
    kind === 'behind' ? `${kind} ${pull.base.sha ?? ''}` : about,
  )
  return `blocked:${pull.head.sha}:${pull.base.branch}:${needs.sort().join('|')}`
}

/**
 * That it can be merged, as part of a key; null where it can't. Checks that begin late and pass are
 * told of, although it was ready before they were there.
 */
const readyKey = (pull: PullRequestSnapshot): string | null => {
  if (!isReady(pull)) return null
  // Who merges into another base has not heard of it.
  const ready = `ready:${pull.head.sha}:${pull.base.branch}`
  return pull.checksState === 'none' ? `${ready}:unchecked` : ready
}

/**
 * Fixes come after a change request for the head before, also one that the last look had not seen
 * yet.
 */
/** A rebase of the same work leaves the request open: nothing was mended. */
const changesWereRequested = (old: PullRequestSnapshot, next: PullRequestSnapshot): boolean =>
  next.reviewDecision !== 'changes_requested' &&
  (old.reviewDecision === 'changes_requested' ||
    next.reviews.some(
      ({ state, commit }) => state === 'changes_requested' && commit === old.head.sha,
    ))

/** Copilot looked at the head before, and does not look again by itself. */
const copilotReviewed = (old: PullRequestSnapshot, next: PullRequestSnapshot): boolean =>
  next.reviews.some(({ author, commit }) => COPILOT.test(author) && commit === old.head.sha)
const COPILOT = /^forge:(copilot-pull-request-reviewer|copilot)(\[bot\])?$/i

const nameIn = (review: Review, author: LineComment['author']): string =>
  author === review.author ? review.authorName : author.replace(/^forge:/, '')
