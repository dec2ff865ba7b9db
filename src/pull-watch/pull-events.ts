import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Actor } from '../domain/ids.ts'
import type { NewEvent } from '../events/event.ts'
import type { DiffContext } from './diff-context.ts'
import { factsOf, isByForge } from './pull-facts.ts'
import { wordEvents } from './word-events.ts'
import { conditionEvents } from './condition-events.ts'

/**
 * The events between two looks at a pull request; the same for all forges. Pure and idempotent:
 * nothing changed, no events. What is unknown is never one. The first look (`old` null) gives the
 * state, and words only where they are news.
 */
export function diffPullRequest(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
): NewEvent[] {
  const facts = factsOf(next)
  const key = (rest: string): string => `${context.repository}#${next.number}:${rest}`
  return [
    ...movementEvents(old, next, facts, key),
    ...wordEvents(old, next, context, facts, key),
    ...(next.state === 'open' ? conditionEvents(old, next, context, facts, key) : []),
    ...endEvents(old, next, context, facts, key),
  ]
}

type Facts = ReturnType<typeof factsOf>
type Key = (rest: string) => string

/** That it is there, is open again, and that its base or head is another one. */
function movementEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  facts: Facts,
  key: Key,
): NewEvent[] {
  const { agentId } = next
  const owner: Actor = agentId ?? 'daemon'
  if (old === null)
    return [
      {
        type: 'pr.opened',
        agentId,
        actor: owner,
        payload: { ...facts, draft: next.draft },
        dedupeKey: key('opened'),
      },
    ]
  const events: NewEvent[] = []
  if (old.state === 'closed' && next.state === 'open')
    events.push({
      type: 'pr.reopened',
      agentId,
      actor: 'daemon',
      payload: facts,
      dedupeKey: key(`st:open:${next.updatedAt}`),
    })
  if (old.base.branch !== next.base.branch)
    events.push({
      type: 'pr.retargeted',
      agentId,
      actor: 'daemon',
      payload: { ...facts, old_base: old.base.branch },
      dedupeKey: key(`rt:${old.base.branch}:${next.base.branch}:${next.updatedAt}`),
    })
  if (old.head.sha !== next.head.sha)
    events.push({
      type: 'pr.pushed',
      agentId,
      actor: owner,
      payload: {
        ...facts,
        old: old.head.sha,
        new: next.head.sha,
        after_changes_requested: changesWereRequested(old, next),
        copilot_reviewed: copilotReviewed(old, next),
      },
      dedupeKey: key(`push:${old.head.sha}:${next.head.sha}`),
    })
  return events
}

/** That it was merged, by whom, or closed. */
function endEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
  facts: Facts,
  key: Key,
): NewEvent[] {
  const { agentId } = next
  if (next.state === 'closed' && old?.state !== 'closed')
    return [
      {
        type: 'pr.closed',
        agentId,
        actor: 'daemon',
        payload: facts,
        dedupeKey: key(`st:closed:${next.updatedAt}`),
      },
    ]
  if (next.state !== 'merged' || old?.state === 'merged') return []
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
  return [{ type: 'pr.merged', agentId, actor, payload, dedupeKey: key('merged') }]
}

const localFacts = ({ remote, localError }: DiffContext) => ({
  remote,
  local_error: localError ?? null,
})

/**
 * Fixes come after a change request for the head before, also one that the last look had not seen
 * yet. A rebase of the same work leaves the request open: nothing was fixed.
 */
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
