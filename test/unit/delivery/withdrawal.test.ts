import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { StoredEvent } from '../../../src/domain/records.ts'
import type { EventType } from '../../../src/events/event.ts'
import { isState, outdated, subjectOf } from '../../../src/delivery/withdrawal.ts'
import type { AgentId } from '../../../src/domain/ids.ts'
import { OWNER, pull as pullRequest, review } from '../pull-watch/pull.ts'

const HEAD = pullRequest().head.sha
const OLDER = 'e'.repeat(40)
const passed = { checksState: 'passed', checks: [], mergeable: 'mergeable' } as const

const PARENT = '00000000-0000-7000-8000-000000000001' as AgentId
const TOLD = 10
const reason = (
  type: EventType,
  payload: Record<string, unknown>,
  pull: Partial<PullRequestSnapshot>,
  same = false,
  to: AgentId = PARENT,
  since = 0,
) =>
  outdated({ type, payload, at: TOLD }, to, {
    pull: pullRequest({ ...passed, ...pull }),
    tracking: { progressAt: since, reviewSince: since },
    sameHead: (a, b) => a === b || same,
  })

const stored = (type: EventType, payload: Record<string, unknown>): StoredEvent => ({
  ...{ seq: 1, type, at: 0, agentId: null, actor: 'daemon', why: null, dedupeKey: null },
  payload,
})

describe('what is no longer true of a pull request', () => {
  it.each<[EventType, Record<string, unknown>, Partial<PullRequestSnapshot>, string | undefined]>([
    ['pr.ready', { sha: HEAD }, {}, undefined],
    ['pr.ready', { sha: HEAD }, { state: 'merged' }, 'is merged'],
    ['pr.ready', { sha: HEAD }, { state: 'closed' }, 'is closed'],
    ['pr.ready', { sha: OLDER }, {}, 'another head'],
    ['pr.ready', { sha: HEAD, base: 'main' }, {}, undefined],
    ['pr.ready', { sha: HEAD, base: 'main.gone' }, {}, 'goes into main by now'],
    ['pr.ready', { sha: HEAD }, { mergeable: 'conflicting' }, 'can’t be merged any more'],
    [
      'pr.ready',
      { sha: HEAD },
      { reviewDecision: 'changes_requested' },
      'can’t be merged any more',
    ],
    ['pr.ready', { sha: HEAD }, { checksState: 'failed' }, 'can’t be merged any more'],
    [
      'pr.ready',
      { sha: HEAD },
      { scheduled: { kind: 'auto', by: 'forge:ann', since: 1 } },
      'is merged by the forge itself by now',
    ],
    ['pr.unscheduled', { sha: HEAD }, {}, undefined],
    ['pr.unscheduled', { sha: OLDER }, {}, 'another head'],
    ['pr.unscheduled', { sha: HEAD }, { state: 'merged' }, 'is merged'],
    [
      'pr.unscheduled',
      { sha: HEAD },
      { scheduled: { kind: 'auto', by: 'forge:ann', since: 1 } },
      'is merged by the forge itself by now',
    ],
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
    ['pr.behind', {}, {}, undefined],
    ['pr.stalled', {}, {}, undefined],
    ['pr.stalled', {}, { state: 'merged' }, 'is merged'],
    ['review.timeout', {}, {}, undefined],
    ['review.timeout', {}, { state: 'closed' }, 'is closed'],
    ['pr.closed', {}, { state: 'closed' }, undefined],
    ['pr.closed', {}, {}, 'open again'],
    ['pr.closed', {}, { state: 'merged' }, 'is merged'],
    ['pr.merged', {}, { state: 'merged' }, undefined],
    ['pr.merged', { base: 'main.gone' }, { state: 'merged' }, undefined],
    ['pr.reopened', {}, {}, undefined],
    ['pr.reopened', {}, { state: 'closed' }, 'is closed'],
    ['pr.retargeted', { base: 'main' }, {}, undefined],
    ['pr.retargeted', { base: 'main.gone' }, {}, 'goes into main by now'],
    ['pr.retargeted', { base: 'main' }, { state: 'merged' }, 'is merged'],
    ['pr.pushed', {}, {}, undefined],
    ['pr.pushed', {}, { reviews: [review({ commit: HEAD })] }, 'was reviewed'],
    ['pr.pushed', {}, { reviews: [review({ commit: HEAD, author: OWNER })] }, undefined],
    ['landing.red', { sha: HEAD }, { checksState: 'failed' }, undefined],
    ['landing.red', { sha: HEAD }, {}, 'can be merged again'],
    ['landing.red', { sha: OLDER }, { checksState: 'failed' }, 'another head'],
    ['landing.culprit', {}, { checksState: 'failed' }, undefined],
    ['landing.culprit', {}, { state: 'merged' }, 'is merged'],
    ['landing.stopped', {}, {}, undefined],
    ['landing.stopped', {}, { state: 'merged' }, 'is merged'],
    ['pr.ready', { sha: HEAD }, { mergeable: 'unknown', checksState: 'unknown' }, undefined],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review()] },
      undefined,
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review(), review({ id: 'r2', state: 'approved' })] },
      'decided otherwise',
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review(), review({ id: 'r2', author: 'forge:ann', state: 'approved' })] },
      undefined,
    ],
    ['pr.review', { review_id: 'r1', state: 'changes_requested' }, {}, 'no longer stands'],
    ['pr.review', { review_id: 'r1', state: 'commented' }, { state: 'merged' }, undefined],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review(), review({ id: 'r2', state: 'commented' })] },
      undefined,
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review({ id: 'r2' })] },
      'no longer stands',
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review({ state: 'approved' })] },
      'no longer stands',
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review()], state: 'merged' },
      'is merged',
    ],
    // It may be opened again, and then still has what was to be changed.
    [
      'pr.review',
      { review_id: 'r1', state: 'changes_requested' },
      { reviews: [review()], state: 'closed' },
      undefined,
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'approved' },
      { reviews: [review({ state: 'approved' })] },
      undefined,
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'approved' },
      { reviews: [review({ state: 'approved' })], state: 'merged' },
      'is merged',
    ],
    [
      'pr.review',
      { review_id: 'r1', state: 'approved' },
      { reviews: [review({ state: 'approved' })], state: 'closed' },
      'is closed',
    ],
    ['pr.comment', {}, { state: 'merged' }, undefined],
    ['pr.thread_comment', {}, { state: 'closed' }, undefined],
  ])('%s with %o, now %o: %s', (type, payload, pull, expected) => {
    const why = reason(type, payload, pull)
    if (expected === undefined) expect(why).toBeUndefined()
    else expect(why).toContain(expected)
  })

  it('is none of a head that exomonad itself rebased', () => {
    expect(reason('pr.ready', { sha: OLDER }, {}, true)).toBeUndefined()
    expect(reason('ci.failed', { sha: OLDER }, { checksState: 'failed' }, true)).toBeUndefined()
  })

  it.each<[EventType]>([
    ['pr.conflict'],
    ['ci.failed'],
    ['pr.pushed'],
    ['pr.stalled'],
    ['review.timeout'],
  ])('%s is none for whoever merged into another base', (type) => {
    expect(
      reason(
        type,
        { sha: HEAD, base: 'main.gone' },
        { checksState: 'failed', mergeable: 'conflicting' },
      ),
    ).toContain('goes into main by now')
  })

  it('stays with its author where its base was changed, but for what is about that', () => {
    const to = (type: EventType) =>
      reason(
        type,
        { sha: HEAD, base: 'main.gone' },
        { checksState: 'failed', mergeable: 'conflicting' },
        false,
        OWNER,
      )
    expect(to('ci.failed')).toBeUndefined()
    for (const type of [
      'pr.conflict',
      'pr.retargeted',
      'landing.culprit',
      'landing.stopped',
    ] as const)
      expect(to(type)).toContain('goes into main by now')
  })

  it.each<[EventType, string]>([
    ['pr.stalled', 'goes on'],
    ['review.timeout', 'another head'],
  ])('%s is none once it goes on', (type, why) => {
    expect(reason(type, {}, {}, false, PARENT, TOLD)).toBeUndefined()
    expect(reason(type, {}, {}, false, PARENT, TOLD + 1)).toContain(why)
  })

  it('names the pull request', () => {
    expect(reason('pr.ready', { sha: HEAD }, { state: 'merged' })).toBe('#3 is merged')
  })

  it('may be a later state of the same, but not what somebody wrote or what stays for ever', () => {
    const types = ['pr.ready', 'ci.failed', 'landing.red', 'base.red', 'base.green'] as const
    expect(types.filter((type) => isState({ type }))).toEqual(types)
    for (const type of [
      'pr.review',
      'pr.comment',
      'pr.thread_comment',
      'pr.merged',
      'note',
      'agent.idle',
      'base.moved',
    ])
      expect(isState({ type })).toBe(false)
  })

  it('is looked for among what is about that pull request, or that base', () => {
    for (const type of ['base.red', 'base.green'] as const)
      expect(subjectOf(stored(type, { branch: 'main' }))).toBe('base:main')
    expect(subjectOf(stored('pr.ready', {}))).toBeNull()
    const payload = { url: 'exomonad://pull/3', number: 3 }
    for (const type of [
      'pr.ready',
      'ci.failed',
      'review.timeout',
      'pr.review',
      'landing.red',
    ] as const)
      expect(subjectOf(stored(type, payload))).toBe(payload.url)
    for (const type of ['note', 'agent.idle', 'message'] as const)
      expect(subjectOf(stored(type, payload))).toBeNull()
  })
})
