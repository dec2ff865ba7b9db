import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Check } from '../adapters/forge/check.ts'
import type { NewEvent } from '../events/event.ts'
import { blockersOf, hasFailed, isBlocked, isReady } from '../core/pulls/readiness.ts'
import type { DiffContext } from './diff-context.ts'
import type { Facts } from './pull-facts.ts'

/** Checks, conflicts and whether it can be merged. */
export function conditionEvents(
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  context: DiffContext,
  facts: Facts,
  keyOf: (rest: string) => string,
): NewEvent[] {
  const key = (rest: string): string =>
    keyOf(context.withdrawn === 0 ? rest : `${rest}:again${context.withdrawn}`)
  const sha = next.head.sha
  const before =
    old !== null && context.sameHead(old.head.sha, sha) ? { ...old, head: next.head } : old
  const about = { agentId: next.agentId, actor: 'daemon' } as const
  const look: Look = { old, before, next, context, facts, about, key }
  const scheduling = schedulingEvents(look)
  return [
    ...checksEvents(look),
    ...conflictEvents(look),
    ...scheduling,
    ...readinessEvents(look, scheduling),
  ]
}

interface Look {
  readonly old: PullRequestSnapshot | null
  /** The one before, as if of the present head where that is the same work. */
  readonly before: PullRequestSnapshot | null
  readonly next: PullRequestSnapshot
  readonly context: DiffContext
  readonly facts: Facts
  readonly about: { readonly agentId: PullRequestSnapshot['agentId']; readonly actor: 'daemon' }
  readonly key: (rest: string) => string
}

function checksEvents({ before, next, context, facts, about, key }: Look): NewEvent[] {
  const events: NewEvent[] = []
  const sha = next.head.sha
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
  return events
}

function conflictEvents({ old, next, context, facts, about, key }: Look): NewEvent[] {
  const events: NewEvent[] = []
  const merge = `mg:${next.head.sha}:${next.base.sha ?? next.base.branch}`
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
  return events
}

/** What the forge was asked to merge by itself, or is not any more. */
function schedulingEvents({ old, next, context, facts, about, key }: Look): NewEvent[] {
  const events: NewEvent[] = []
  const sha = next.head.sha
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
  return events
}

function readinessEvents(
  { before, next, facts, about, key }: Look,
  scheduling: readonly NewEvent[],
): NewEvent[] {
  const events: NewEvent[] = []
  const sha = next.head.sha
  const ready = readyKey(next)
  // Why it was not merged with the same head is reported, and what that asks for comes first.
  const stopped =
    before?.head.sha === sha && scheduling.some(({ type }) => type === 'pr.unscheduled')
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
 * reported, although it was ready before they were there.
 */
const readyKey = (pull: PullRequestSnapshot): string | null => {
  if (!isReady(pull)) return null
  // Who merges into another base was not notified of it.
  const ready = `ready:${pull.head.sha}:${pull.base.branch}`
  return pull.checksState === 'none' ? `${ready}:unchecked` : ready
}
