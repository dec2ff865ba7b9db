import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { EventType } from '../../../src/events/event.ts'
import { outdated, subjectOf } from '../../../src/events/withdrawal.ts'
import { pull as pullRequest } from './pull.ts'

const HEAD = pullRequest().head.sha
const OLDER = 'e'.repeat(40)
const passed = { checksState: 'passed', checks: [], mergeable: 'mergeable' } as const

const reason = (type: EventType, payload: Record<string, unknown>, pull: Partial<PullRequestSnapshot>, same = false) =>
  outdated({ type, payload }, pullRequest({ ...passed, ...pull }), (a, b) => a === b || same)

describe('what is no longer true of a pull request', () => {
  it.each<[EventType, Record<string, unknown>, Partial<PullRequestSnapshot>, string | undefined]>([
    ['pr.ready', { sha: HEAD }, {}, undefined],
    ['pr.ready', { sha: HEAD }, { state: 'merged' }, 'is merged'],
    ['pr.ready', { sha: HEAD }, { state: 'closed' }, 'is closed'],
    ['pr.ready', { sha: OLDER }, {}, 'another head'],
    ['pr.ready', { sha: HEAD, base: 'main' }, {}, undefined],
    ['pr.ready', { sha: HEAD, base: 'main.gone' }, {}, 'goes into main by now'],
    ['pr.ready', { sha: HEAD }, { mergeable: 'conflicting' }, 'can’t be merged any more'],
    ['pr.ready', { sha: HEAD }, { reviewDecision: 'changes_requested' }, 'can’t be merged any more'],
    ['pr.conflict', {}, { mergeable: 'conflicting' }, undefined],
    ['pr.conflict', {}, { mergeable: 'unknown' }, undefined],
    ['pr.conflict', {}, {}, 'no longer conflicts'],
    ['pr.conflict', {}, { state: 'merged' }, 'is merged'],
    ['ci.failed', { sha: HEAD }, { checksState: 'failed' }, undefined],
    ['ci.failed', { sha: OLDER }, { checksState: 'failed' }, 'another head'],
    ['ci.failed', { sha: HEAD }, {}, 'run again'],
    ['ci.failed', { sha: HEAD }, { checksState: 'pending' }, 'run again'],
    ['ci.failed', { sha: HEAD }, { checksState: 'unknown' }, undefined],
    ['pr.behind', { sha: HEAD }, {}, undefined],
    ['pr.behind', { sha: OLDER }, {}, 'another head'],
    ['pr.stalled', {}, {}, undefined],
    ['pr.stalled', {}, { state: 'merged' }, 'is merged'],
    ['review.timeout', {}, {}, undefined],
    ['review.timeout', {}, { state: 'closed' }, 'is closed'],
    ['pr.closed', {}, { state: 'closed' }, undefined],
    ['pr.closed', {}, {}, 'open again'],
    ['pr.merged', {}, { state: 'merged' }, undefined],
    ['pr.review', { state: 'changes_requested' }, {}, undefined],
  ])('%s with %o, now %o: %s', (type, payload, pull, expected) => {
    const why = reason(type, payload, pull)
    if (expected === undefined) expect(why).toBeUndefined()
    else expect(why).toContain(expected)
  })

  it('is none of a head that exomonad itself rebased', () => {
    expect(reason('pr.ready', { sha: OLDER }, {}, true)).toBeUndefined()
    expect(reason('ci.failed', { sha: OLDER }, { checksState: 'failed' }, true)).toBeUndefined()
  })

  it('is looked for among what is about that pull request', () => {
    const payload = { url: 'exomonad://pull/3', number: 3 }
    for (const type of ['pr.ready', 'ci.failed', 'review.timeout', 'pr.review'] as const) expect(subjectOf({ type, payload })).toBe(payload.url)
    for (const type of ['note', 'agent.idle', 'landing.red'] as const) expect(subjectOf({ type, payload })).toBeNull()
  })
})
