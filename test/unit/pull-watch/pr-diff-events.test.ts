import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { Check } from '../../../src/adapters/forge/check.ts'
import { type AgentId, asBranchName } from '../../../src/domain/ids.ts'
import { diffPullRequest } from '../../../src/pull-watch/pull-events.ts'
import type { DiffContext } from '../../../src/pull-watch/diff-context.ts'
import { isReady } from '../../../src/core/pulls/readiness.ts'
import { at, OWNER, pull, review, sha } from './pull.ts'

/**
 * Each event that a change makes: who did it, what it says, and the key by which it is reported
 * once.
 */

const context: DiffContext = {
  repository: 'R',
  newsSince: 1_500,
  lastMergeable: null,
  failures: 0,
  withdrawn: 0,
  sameHead: () => false,
  mergeStartedBy: null,
  remote: 'origin',
}
const facts = {
  number: 3,
  title: 'Add login',
  url: 'local://pull/3',
  head: 'main.auth',
  base: 'main',
}
const check = (name: string, more: Partial<Check> = {}): Check => ({
  name,
  status: 'failed',
  required: false,
  run: null,
  url: null,
  logTail: null,
  ...more,
})
const diff = (
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  more: Partial<DiffContext> = {},
) => diffPullRequest(old, next, { ...context, ...more })
const of = (type: string, ...args: Parameters<typeof diff>) =>
  diff(...args).filter((event) => event.type === type)
const said = (id: string, more: object = {}) =>
  ({
    id,
    author: 'forge:ann',
    authorName: 'ann',
    body: 'Hm',
    at: 2_000,
    trusted: true,
    ...more,
  }) as never

describe('what a change of state reports', () => {
  it.each([
    [null, {}, 'pr.opened', OWNER, { ...facts, draft: false }, 'R#3:opened'],
    [
      null,
      { draft: true, agentId: null },
      'pr.opened',
      'daemon',
      { ...facts, draft: true },
      'R#3:opened',
    ],
    [{ state: 'closed' }, { updatedAt: 7 }, 'pr.reopened', 'daemon', facts, 'R#3:st:open:7'],
    [{}, { state: 'closed', updatedAt: 8 }, 'pr.closed', 'daemon', facts, 'R#3:st:closed:8'],
    [
      { base: { branch: asBranchName('dev'), sha: sha('b') } },
      { updatedAt: 9 },
      'pr.retargeted',
      'daemon',
      { ...facts, old_base: 'dev' },
      'R#3:rt:dev:main:9',
    ],
    [
      {},
      at('c'),
      'pr.pushed',
      OWNER,
      {
        ...facts,
        old: sha('a'),
        new: sha('c'),
        after_changes_requested: false,
        copilot_reviewed: false,
      },
      `R#3:push:${sha('a')}:${sha('c')}`,
    ],
    [
      {},
      { ...at('c'), agentId: null },
      'pr.pushed',
      'daemon',
      expect.anything(),
      `R#3:push:${sha('a')}:${sha('c')}`,
    ],
    [
      {},
      { mergeable: 'conflicting', conflictFiles: ['a.ts'] },
      'pr.conflict',
      'daemon',
      { ...facts, files: ['a.ts'] },
      `R#3:mg:${sha('a')}:${sha('b')}:conflicting`,
    ],
    [
      {},
      { mergeable: 'conflicting', base: { branch: asBranchName('main'), sha: null } },
      'pr.conflict',
      'daemon',
      { ...facts, files: [] },
      `R#3:mg:${sha('a')}:main:conflicting`,
    ],
    [
      { mergeable: 'unknown' },
      {},
      'pr.ready',
      'daemon',
      { ...facts, sha: sha('a'), unchecked: true },
      `R#3:ready:${sha('a')}:main:unchecked`,
    ],
    [
      { mergeable: 'unknown' },
      { checksState: 'passed', checks: [check('t', { status: 'passed' })] },
      'pr.ready',
      'daemon',
      { ...facts, sha: sha('a'), unchecked: false },
      `R#3:ready:${sha('a')}:main`,
    ],
  ] as const)('%j → %j: %s', (old, next, type, actor, payload, dedupeKey) => {
    const events = of(type, old === null ? null : pull(old as never), pull(next as never))
    expect(events).toEqual([
      {
        type,
        agentId: (next as { agentId?: null }).agentId === null ? null : OWNER,
        actor,
        payload,
        dedupeKey,
      },
    ])
  })

  it('a conflict that is gone, once', () => {
    expect(of('pr.conflict_cleared', pull(), pull(), { lastMergeable: 'conflicting' })).toEqual([
      {
        type: 'pr.conflict_cleared',
        agentId: OWNER,
        actor: 'daemon',
        payload: facts,
        dedupeKey: `R#3:mg:${sha('a')}:${sha('b')}:mergeable`,
      },
    ])
    expect(of('pr.conflict_cleared', pull(), pull(), { lastMergeable: 'mergeable' })).toEqual([])
    expect(
      of('pr.conflict', pull(), pull({ mergeable: 'conflicting' }), {
        lastMergeable: 'conflicting',
      }),
    ).toEqual([])
  })

  it('a conflict again with another base, to whoever has that', () => {
    const conflicting = { mergeable: 'conflicting', conflictFiles: ['a.ts'] } as const
    const elsewhere = pull({ ...conflicting, base: { branch: asBranchName('dev'), sha: sha('b') } })
    expect(
      of('pr.conflict', elsewhere, pull(conflicting), { lastMergeable: 'conflicting' }),
    ).toHaveLength(1)
  })

  it('again what is so again after its news was withdrawn unread', () => {
    expect(
      diff(null, pull({ checksState: 'passed' }), { withdrawn: 2 }).map(
        ({ dedupeKey }) => dedupeKey,
      ),
    ).toEqual([
      'R#3:opened',
      `R#3:ci:${sha('a')}:passed::again2`,
      `R#3:ready:${sha('a')}:main:again2`,
    ])
  })

  it('nothing of checks, conflicts or readiness once it is over', () => {
    for (const state of ['closed', 'merged'] as const) {
      const types = diff(
        pull(),
        pull({ state, mergeable: 'conflicting', checksState: 'failed', checks: [check('t')] }),
      ).map(({ type }) => type)
      expect(types).toEqual([state === 'closed' ? 'pr.closed' : 'pr.merged'])
      expect([isReady(pull()), isReady(pull({ state }))]).toEqual([true, false])
    }
  })

  it.each([
    [null, null, 'daemon', true],
    ['forge:jane', 'daemon', 'daemon', false],
    [null, OWNER, OWNER, false],
    ['forge:jane', null, 'forge:jane', true],
    ['forge:jane', 'human', 'human', false],
    ['human', null, 'human', false],
    ['daemon', OWNER, 'daemon', false],
  ] as const)(
    'a merge by %s, decided on here by %s, is that of %s',
    (mergedBy, mergeStartedBy, by, external) => {
      expect(
        of('pr.merged', pull(), pull({ state: 'merged', mergedBy, mergeSha: sha('d') }), {
          mergeStartedBy,
        }),
      ).toEqual([
        {
          type: 'pr.merged',
          agentId: OWNER,
          actor: by,
          payload: {
            ...facts,
            sha: sha('d'),
            by,
            external,
            remote: 'origin',
            local_error: null,
            tried_by: [],
            scheduled: false,
          },
          dedupeKey: 'R#3:merged',
        },
      ])
    },
  )
})

it('a merge by somebody else names those whose own came to nothing; one of ours nobody (20.3)', () => {
  const merged = pull({ state: 'merged', mergedBy: 'forge:jane', mergeSha: sha('d') })
  expect(of('pr.merged', pull(), merged, { triedBy: ['human', OWNER] })).toMatchObject([
    { payload: { external: true, tried_by: ['human', OWNER] } },
  ])
  expect(
    of('pr.merged', pull(), merged, { triedBy: ['human'], mergeStartedBy: OWNER }),
  ).toMatchObject([{ payload: { external: false, tried_by: [] } }])
})

describe('merges that the forge makes by itself (20.18)', () => {
  const auto = pull({ scheduled: { kind: 'auto', by: 'forge:ann', since: 1 } })
  const queued = (position: number, more: Partial<PullRequestSnapshot> = {}) =>
    pull({
      scheduled: {
        kind: 'queue',
        position,
        by: 'forge:ann',
        since: 1,
        state: 'checking',
        checks: null,
        checksState: 'unknown',
      },
      ...more,
    })
  const cancelled = { kind: 'queue', reason: 'ann took it out', at: 9, failed: [] } as const

  it('are reported when they begin, and not with each place', () => {
    expect(of('pr.scheduled', pull(), queued(2))).toMatchObject([
      { payload: { kind: 'queue', by: 'forge:ann', sha: sha('a') } },
    ])
    expect(of('pr.scheduled', null, auto)).toMatchObject([{ payload: { kind: 'auto' } }])
    expect(of('pr.scheduled', queued(2), queued(1))).toEqual([])
    expect(of('pr.scheduled', auto, queued(3))).toHaveLength(1)
  })

  it('are reported when they are not to come any more, with the reason; not from auto-merge to the queue, and not when it is merged', () => {
    expect(of('pr.unscheduled', queued(2), pull(), { cancelled })).toMatchObject([
      {
        agentId: OWNER,
        actor: 'daemon',
        payload: { kind: 'queue', reason: 'ann took it out', jobs: [] },
        dedupeKey: 'R#3:unscheduled:queue:9',
      },
    ])
    expect(of('pr.unscheduled', auto, pull())).toMatchObject([
      { payload: { kind: 'auto', reason: null } },
    ])
    // It came and went between two looks.
    expect(of('pr.unscheduled', pull(), pull(), { cancelled })).toHaveLength(1)
    expect(of('pr.unscheduled', pull(), pull())).toEqual([])
    expect(of('pr.unscheduled', auto, queued(1))).toEqual([])
    for (const state of ['merged', 'closed'] as const)
      expect(of('pr.unscheduled', queued(1), pull({ state }))).toEqual([])
    const failed = [
      check('build', { status: 'failed', logTail: 'It broke.', url: 'https://ci.example.com/1' }),
    ]
    expect(
      of('pr.unscheduled', queued(2), pull(), { cancelled: { ...cancelled, failed } }),
    ).toMatchObject([
      { payload: { jobs: [{ name: 'build', url: 'https://ci.example.com/1', log: 'It broke.' }] } },
    ])
  })

  it('are not ready, so that nobody merges them once more; of what was cancelled with the same head that is not said either', () => {
    expect(of('pr.ready', pull({ draft: true }), queued(1))).toEqual([])
    expect(of('pr.ready', pull({ draft: true }), auto)).toEqual([])
    expect(of('pr.ready', queued(1), pull(), { cancelled })).toEqual([])
    expect(of('pr.ready', queued(1), pull(at('d')), { cancelled })).toHaveLength(1)
    expect(of('pr.ready', auto, pull({ draft: true }))).toEqual([])
  })

  it('say what only a person can give while that is waited for, and nothing of that kind in a queue', () => {
    const blockers = [{ kind: 'review', needs: 'an approval', person: true }] as const
    expect(of('pr.blocked', pull({ draft: true }), { ...auto, blockers })).toHaveLength(1)
    expect(of('pr.blocked', pull({ draft: true }), queued(1, { blockers }))).toEqual([])
  })

  it('are merged for whoever asked, who is notified', () => {
    const merged = pull({
      state: 'merged',
      mergedBy: 'forge:github-merge-queue[bot]',
      mergeSha: sha('d'),
    })
    expect(
      of('pr.merged', queued(1), merged, { mergeStartedBy: OWNER, mergeScheduled: true }),
    ).toMatchObject([{ actor: OWNER, payload: { external: false, scheduled: true, by: OWNER } }])
  })
})

describe('what checks report', () => {
  const checks = (state: PullRequestSnapshot['checksState'], ...list: Check[]) =>
    pull({ checksState: state, checks: list })
  it('that they run, passed and failed, with their names in order, each once', () => {
    expect(
      of(
        'ci.pending',
        pull(),
        checks(
          'pending',
          check('b', { status: 'running' }),
          check('a', { status: 'queued' }),
          check('a', { status: 'queued' }),
        ),
      ),
    ).toMatchObject([{ actor: 'daemon', payload: { ...facts, sha: sha('a'), jobs: ['a', 'b'] } }])
    expect(
      of(
        'ci.passed',
        checks('pending', check('a', { status: 'running' })),
        checks('passed', check('a', { status: 'passed' })),
      ),
    ).toMatchObject([{ payload: { sha: sha('a') } }])
    const failed = of(
      'ci.failed',
      pull(),
      checks(
        'failed',
        check('b', { status: 'timed_out', url: 'u' }),
        check('a', { logTail: 'boom' }),
        check('c', { status: 'passed' }),
      ),
      {
        failures: 2,
      },
    )
    expect(failed).toMatchObject([
      {
        payload: {
          ...facts,
          times: 3,
          jobs: [
            { name: 'b', url: 'u', log: '' },
            { name: 'a', url: null, log: 'boom' },
          ],
        },
      },
    ])
    expect(failed[0]?.payload).not.toHaveProperty('landing')
  })

  it('that one of a landing failed, where one of several is of it', () => {
    const mixed = checks('failed', check('a', { landing: true } as never), check('b'))
    expect(of('ci.failed', pull(), mixed)[0]?.payload).toMatchObject({ landing: true })
    const other = checks(
      'failed',
      check('a', { landing: true, status: 'passed' } as never),
      check('b'),
    )
    expect(of('ci.failed', pull(), other)[0]?.payload).not.toHaveProperty('landing')
  })

  it('again where another one failed or the same ran again, and not where only their order is another', () => {
    const one = checks('failed', check('a'), check('b'))
    expect(of('ci.failed', one, checks('failed', check('b'), check('a')))).toEqual([])
    expect(
      of(
        'ci.failed',
        one,
        checks('failed', check('a'), check('b'), check('c', { status: 'passed' })),
      ),
    ).toEqual([])
    expect(of('ci.failed', one, checks('failed', check('a'), check('b'), check('c')))).toHaveLength(
      1,
    )
    expect(
      of('ci.failed', one, checks('failed', check('a', { run: 2 as never }), check('b'))),
    ).toHaveLength(1)
    expect(of('ci.failed', one, checks('failed', check('ab')))).toHaveLength(1)
    expect(of('ci.passed', checks('passed'), checks('passed'))).toEqual([])
    // Closed and open again: what it was is reported anew.
    expect(
      of('ci.passed', pull({ state: 'closed', checksState: 'passed' }), checks('passed')),
    ).toHaveLength(1)
  })
})

describe('what words report', () => {
  it('reviews and comments that are new; on the first read only what was said since', () => {
    const spoken = pull({
      reviews: [review({ submittedAt: 1_500 }), review({ id: 'old', submittedAt: 1_499 })],
      comments: [said('c1', { at: 1_500 }), said('c0', { at: 1_499 })],
    })
    expect(
      diff(null, spoken).flatMap(({ type, dedupeKey }) =>
        /review|comment/.test(type) ? [[type, dedupeKey]] : [],
      ),
    ).toEqual([
      ['pr.review', 'R#3:review:r1:changes_requested'],
      ['pr.comment', 'R#3:ic:c1'],
    ])
    // Once it is known, all that comes is new, whatever its time.
    expect(diff(pull(), spoken).filter(({ type }) => type === 'pr.review')).toHaveLength(2)
    expect(diff(pull(), spoken).filter(({ type }) => type === 'pr.comment')).toHaveLength(2)
    expect(diff(spoken, spoken)).toEqual([])
    expect(
      of(
        'pr.comment',
        pull({ comments: [said('c1')] }),
        pull({ comments: [said('c1'), said('c2'), said('c3', { author: OWNER })] }),
      ),
    ).toMatchObject([
      {
        actor: 'forge:ann',
        payload: { ...facts, comment_id: 'c2', author: 'ann', body: 'Hm', trusted: true },
        dedupeKey: 'R#3:ic:c2',
      },
    ])
  })

  it('a review whose verdict is another by now, and comments that were added to one', () => {
    const before = pull({
      reviews: [review({ comments: [said('l1', { path: 'a.ts', line: 1 })] })],
    })
    const verdict = pull({
      reviews: [review({ state: 'approved', comments: [said('l1', { path: 'a.ts', line: 1 })] })],
    })
    expect(of('pr.review', before, verdict)).toMatchObject([
      {
        actor: 'human',
        payload: { state: 'approved', stale: false },
        dedupeKey: 'R#3:review:r1:approved',
      },
    ])
    const added = pull({
      reviews: [
        review({
          comments: [
            said('l1', { path: 'a.ts', line: 1 }),
            said('l2', { path: 'b.ts', line: null, author: 'human' }),
            said('l3', { path: 'c.ts', startLine: 2, line: 4 }),
          ],
        }),
      ],
    })
    expect(of('pr.thread_comment', before, added)).toMatchObject([
      {
        actor: 'human',
        payload: { comment_id: 'l2', path: 'b.ts', line: null, author: 'human' },
        dedupeKey: 'R#3:tc:l2',
      },
      {
        actor: 'forge:ann',
        payload: { comment_id: 'l3', path: 'c.ts', start_line: 2, line: 4, author: 'ann' },
        dedupeKey: 'R#3:tc:l3',
      },
    ])
  })

  it('a comment of the reviewer’s own under the name that the review has', () => {
    const by = { author: 'forge:ann-lee' as const, authorName: 'Ann Lee', commit: sha('a') }
    const lines = [said('l1', { author: by.author }), said('l2', { author: 'forge:bob' })]
    expect(
      of('pr.review', pull(), pull({ reviews: [review({ ...by, comments: lines })] }))[0]?.payload,
    ).toMatchObject({
      author: 'Ann Lee',
      comments: [{ author: 'Ann Lee' }, { author: 'bob' }],
    })
  })

  it('that fixes came after a change request, also where that was of the head before and is not the decision any more', () => {
    const pushed = (old: Partial<PullRequestSnapshot>, next: Partial<PullRequestSnapshot> = {}) =>
      of('pr.pushed', pull(old), pull({ ...at('c'), ...next }))[0]?.payload
    expect(pushed({ reviewDecision: 'changes_requested' })).toMatchObject({
      after_changes_requested: true,
    })
    expect(pushed({}, { reviews: [review()] })).toMatchObject({ after_changes_requested: true })
    expect(pushed({}, { reviews: [review({ commit: sha('c') })] })).toMatchObject({
      after_changes_requested: false,
    })
    expect(pushed({}, { reviews: [review({ state: 'commented' })] })).toMatchObject({
      after_changes_requested: false,
    })
    const copilot = review({
      id: 'r9',
      author: 'forge:copilot-pull-request-reviewer[bot]' as AgentId,
      state: 'commented',
    })
    expect(
      pushed({}, { reviews: [copilot, review({ id: 'r8', state: 'commented' })] }),
    ).toMatchObject({ copilot_reviewed: true })
    expect(pushed({}, { reviews: [{ ...copilot, commit: sha('c') }] })).toMatchObject({
      copilot_reviewed: false,
    })
  })
})
