import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot, Review } from '../../../src/adapters/forge/forge.ts'
import type { Check } from '../../../src/adapters/forge/check.ts'
import { EVENTS } from '../../../src/events/event.ts'
import { diffPullRequest } from '../../../src/pull-watch/pull-events.ts'
import type { DiffContext } from '../../../src/pull-watch/diff-context.ts'
import { asBranchName, type Actor } from '../../../src/domain/ids.ts'
import { verifies } from '../../requirements.ts'
import { at, OWNER, pull, review, sha } from './pull.ts'

const context: DiffContext = {
  repository: 'local',
  newsSince: 1_000,
  lastMergeable: 'mergeable',
  failures: 0,
  withdrawn: 0,
  sameHead: (a: string, b: string) => a === b,
  mergeStartedBy: null,
  remote: 'origin',
}
const diff = (
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  more: Partial<DiffContext> = {},
) => diffPullRequest(old, next, { ...context, ...more })
const types = (
  old: PullRequestSnapshot | null,
  next: PullRequestSnapshot,
  more: Partial<DiffContext> = {},
): string[] => diff(old, next, more).map(({ type }) => type)
const check = (status: Check['status'], name = 'test', run: string | null = null): Check => ({
  name,
  status,
  required: true,
  run,
  url: null,
  logTail: status === 'failed' ? 'it broke' : null,
})

describe('diffPullRequest', () => {
  it('reports a new pull request and its state, with stable keys', () => {
    const events = diff(
      null,
      pull({ checks: [check('running')], checksState: 'pending', checksRequired: true }),
    )
    expect(events.map(({ type, dedupeKey }) => [type, dedupeKey])).toEqual([
      ['pr.opened', 'local#3:opened'],
      ['ci.pending', `local#3:ci:${sha('a')}:pending`],
    ])
  })

  it('takes only newer words than the filing for news on the first read', () => {
    const seen = pull({
      reviews: [review({ id: 'old', submittedAt: 500 }), review({ id: 'new', submittedAt: 1_500 })],
    })
    const reported = diff(null, seen).filter(({ type }) => type === 'pr.review')
    expect(reported.map(({ dedupeKey }) => dedupeKey)).toEqual([
      'local#3:review:new:changes_requested',
    ])
  })

  it(verifies('R004-16', 'reports a review with its line comments'), () => {
    const comments = [
      {
        id: 'c1',
        path: 'src/a.ts',
        startLine: 1,
        line: 3,
        body: 'rename',
        author: 'human' as Actor,
      },
    ]
    const [event] = diff(
      pull(),
      pull({ reviews: [review({ comments })], reviewDecision: 'changes_requested' }),
    )
    expect(event).toMatchObject({
      type: 'pr.review',
      actor: 'human',
      agentId: OWNER,
      payload: {
        stale: false,
        comments: [{ path: 'src/a.ts', start_line: 1, line: 3, body: 'rename' }],
      },
    })
  })

  it('says that a review is of an older head', () => {
    const [event] = diff(pull(), pull({ reviews: [review({ commit: sha('f') })] }))
    expect(event?.payload).toMatchObject({ stale: true })
  })

  it('reports a comment that is added to a known review, and nothing twice', () => {
    const comment = (id: string) => ({ id, path: 'a', line: 1, body: id, author: 'human' as Actor })
    const before = pull({ reviews: [review({ comments: [comment('c1')] })] })
    const after = pull({ reviews: [review({ comments: [comment('c1'), comment('c2')] })] })
    expect(diff(before, after).map(({ dedupeKey }) => dedupeKey)).toEqual(['local#3:tc:c2'])
  })

  it('says that an outsider wrote, and not a word of what', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), fc.boolean(), (words, known) => {
        const secret = `§${words}§`
        const line = (id: string) => ({
          id,
          path: 'src/a.ts',
          line: 3,
          body: secret,
          author: 'forge:stranger' as Actor,
        })
        const stranger = {
          author: 'forge:stranger' as Actor,
          authorName: 'stranger',
          body: secret,
          trusted: false,
        }
        const old = known
          ? pull({ reviews: [review({ ...stranger, comments: [line('1')] })] })
          : pull()
        const next = pull({
          reviews: [review({ ...stranger, comments: [line('1'), line('2')] })],
          comments: [{ ...stranger, id: 'i', at: 2_000 }],
        })
        const events = diff(old, next)
        expect(events.map(({ type }) => type)).toEqual([
          known ? 'pr.thread_comment' : 'pr.review',
          'pr.comment',
        ])
        for (const { payload } of events)
          expect(payload).toMatchObject({ trusted: false, author: 'stranger', body: '' })
        expect(JSON.stringify(events)).not.toContain(JSON.stringify(secret).slice(1, -1))
        if (!known) expect(events[0]?.payload).toMatchObject({ comments: [] })
      }),
    )
  })

  it('says at the first push after Copilot’s review that it was one, and at no other', () => {
    const copilot = (commit: string) =>
      review({
        id: 'r9',
        author: 'forge:copilot-pull-request-reviewer[bot]',
        authorName: 'Copilot',
        state: 'commented',
        commit: sha(commit),
      })
    const flag = (old: PullRequestSnapshot, next: PullRequestSnapshot) =>
      diff(old, next).find(({ type }) => type === 'pr.pushed')?.payload
    expect(
      flag(pull({ reviews: [copilot('a')] }), pull({ ...at('c'), reviews: [copilot('a')] })),
    ).toMatchObject({
      copilot_reviewed: true,
      after_changes_requested: false,
    })
    expect(flag(pull(), pull({ ...at('c'), reviews: [copilot('a')] }))).toMatchObject({
      copilot_reviewed: true,
    })
    expect(
      flag(
        pull({ ...at('c'), reviews: [copilot('a')] }),
        pull({ ...at('d'), reviews: [copilot('a')] }),
      ),
    ).toMatchObject({ copilot_reviewed: false })
    expect(
      flag(pull({ reviews: [review()] }), pull({ ...at('c'), reviews: [review()] })),
    ).toMatchObject({ copilot_reviewed: false })
  })

  it('leaves out the comments of the owner itself', () => {
    const comment = (id: string, author: Actor) => ({
      id,
      author,
      authorName: 'x',
      body: 'hi',
      at: 2_000,
      trusted: true,
    })
    expect(types(pull(), pull({ comments: [comment('1', OWNER), comment('2', 'human')] }))).toEqual(
      ['pr.comment'],
    )
  })

  it(
    verifies(
      'R004-16',
      'reports checks as they change: failed with the names and the end of the log, then passed',
    ),
    () => {
      const pending = pull({
        checks: [check('running')],
        checksState: 'pending',
        checksRequired: true,
      })
      const failed = pull({
        checks: [check('failed'), check('passed', 'lint')],
        checksState: 'failed',
        checksRequired: true,
      })
      const passed = pull({
        ...at('c'),
        checks: [check('passed')],
        checksState: 'passed',
        checksRequired: true,
      })
      const [event] = diff(pending, failed, { failures: 2 })
      expect(event).toMatchObject({
        type: 'ci.failed',
        payload: { times: 3, jobs: [{ name: 'test', log: 'it broke' }] },
      })
      expect(types(failed, passed)).toEqual(['pr.pushed', 'ci.passed', 'pr.ready'])
    },
  )

  it('reports further jobs that fail on the same head', () => {
    const one = pull({ checks: [check('failed')], checksState: 'failed' })
    const two = pull({ checks: [check('failed'), check('failed', 'lint')], checksState: 'failed' })
    expect(types(one, two)).toEqual(['ci.failed'])
  })

  it('reports what came of the same checks when they were run again on the same head, seen running in between or not', () => {
    const ran = (status: 'failed' | 'passed', run: string) =>
      pull({ checks: [check(status, 'test', run)], checksState: status, checksRequired: true })
    const running = pull({
      checks: [check('running', 'test', '2')],
      checksState: 'pending',
      checksRequired: true,
    })
    for (const between of [ran('failed', '1'), running]) {
      const first = diff(null, ran('failed', '1')).find(({ type }) => type === 'ci.failed')
      const [second] = diff(between, ran('failed', '2'), { failures: 0 })
      expect(second).toMatchObject({ type: 'ci.failed', payload: { times: 1 } })
      expect(second?.dedupeKey).not.toBe(first?.dedupeKey)
    }
    const passes = [ran('passed', '2'), ran('passed', '4')].map(
      (next) => diff(running, next).find(({ type }) => type === 'ci.passed')?.dedupeKey,
    )
    expect(new Set(passes).size).toBe(2)
    expect(diff(ran('failed', '2'), ran('failed', '2'))).toEqual([])
  })

  it.each<[string, Partial<PullRequestSnapshot>, boolean]>([
    ['nothing has to be checked', {}, true],
    ['required checks have passed', { checksRequired: true, checksState: 'passed' }, true],
    ['required checks have not run', { checksRequired: true, checksState: 'none' }, false],
    ['checks run', { checksState: 'pending' }, false],
    ['checks failed', { checksState: 'failed' }, false],
    ['checks are unknown', { checksState: 'unknown' }, false],
    ['it is a draft', { draft: true }, false],
    ['changes are requested', { reviewDecision: 'changes_requested' }, false],
    ['it conflicts', { mergeable: 'conflicting' }, false],
    ['mergeability is unknown', { mergeable: 'unknown' }, false],
    ['it is closed', { state: 'closed' }, false],
  ])('is ready or not when %s', (_, state, ready) => {
    expect(types(null, pull(state)).includes('pr.ready')).toBe(ready)
  })

  it('is reported again for the same head once checks that began late have passed', () => {
    const early = pull({ checksState: 'none' })
    const passed = pull({ checksState: 'passed' })
    const keys = [diff(null, early), diff(pull({ checksState: 'pending' }), passed)].map(
      (events) => events.find(({ type }) => type === 'pr.ready')?.dedupeKey,
    )
    expect(new Set(keys).size).toBe(2)
    // Whether a look fell between their begin and their end makes no difference.
    expect(types(early, passed)).toEqual(['ci.passed', 'pr.ready'])
  })

  it('says that fixes came after a change request, also one that was not seen before the push', () => {
    const requested = pull({ reviewDecision: 'changes_requested', reviews: [review()] })
    const pushed = { ...at('c'), reviews: [review()], reviewDecision: 'none' as const }
    expect(diff(requested, pull(pushed))[0]).toMatchObject({
      type: 'pr.pushed',
      payload: { after_changes_requested: true },
    })
    expect(diff(pull(), pull(pushed))[0]).toMatchObject({
      type: 'pr.pushed',
      payload: { after_changes_requested: true },
    })
    expect(diff(pull(), pull(at('c')))[0]).toMatchObject({
      type: 'pr.pushed',
      payload: { after_changes_requested: false },
    })
    // A rebase of the same work: the forge still holds the request open.
    expect(
      diff(requested, pull({ ...pushed, reviewDecision: 'changes_requested' }))[0],
    ).toMatchObject({ payload: { after_changes_requested: false } })
  })

  it('reports a conflict with its files and its end, unknown in between or not', () => {
    const conflicting = pull({ mergeable: 'conflicting', conflictFiles: ['a.ts'] })
    const unknown = pull({ ...at('c'), mergeable: 'unknown' })
    const cleared = pull(at('c'))
    expect(diff(pull(), conflicting)[0]).toMatchObject({
      type: 'pr.conflict',
      payload: { files: ['a.ts'] },
    })
    expect(types(conflicting, unknown, { lastMergeable: 'conflicting' })).toEqual(['pr.pushed'])
    expect(types(unknown, cleared, { lastMergeable: 'conflicting' })).toEqual([
      'pr.conflict_cleared',
      'pr.ready',
    ])
    expect(types(unknown, conflicting, { lastMergeable: 'conflicting' })).not.toContain(
      'pr.conflict',
    )
  })

  it(
    verifies('R004-16', 'distinguishes a merge from outside from one that was decided here'),
    () => {
      const merged = (mergedBy: Actor | null) =>
        pull({ state: 'merged', mergedBy, mergeSha: sha('d') })
      expect(diff(pull(), merged('forge:jane'))).toMatchObject([
        { type: 'pr.merged', actor: 'forge:jane', payload: { external: true } },
      ])
      expect(diff(pull(), merged('human'))).toMatchObject([
        { type: 'pr.merged', actor: 'human', payload: { external: false } },
      ])
      expect(diff(pull(), merged('forge:bot'), { mergeStartedBy: OWNER })).toMatchObject([
        { actor: OWNER, payload: { external: false } },
      ])
      expect(types(null, merged('human'))).toEqual(['pr.opened', 'pr.merged'])
    },
  )

  it('reports closing, opening again and another base', () => {
    expect(types(pull(), pull({ state: 'closed' }))).toEqual(['pr.closed'])
    expect(types(pull({ state: 'closed' }), pull())).toContain('pr.reopened')
    expect(
      diff(pull(), pull({ base: { branch: asBranchName('dev'), sha: sha('b') } })),
    ).toMatchObject([
      { type: 'pr.retargeted', payload: { base: 'dev', old_base: 'main' } },
      // Who merges there does not know of it.
      { type: 'pr.ready', payload: { base: 'dev' } },
    ])
  })

  const anyCheck: fc.Arbitrary<Check> = fc
    .record({
      status: fc.constantFrom<Check['status']>(
        'queued',
        'running',
        'passed',
        'failed',
        'cancelled',
        'timed_out',
      ),
      name: fc.constantFrom('test', 'lint'),
    })
    .map(({ status, name }) => check(status, name))
  const anyReview: fc.Arbitrary<Review> = fc
    .record({
      id: fc.constantFrom('r1', 'r2'),
      author: fc.constantFrom<Actor>('human', OWNER, 'forge:x'),
      authorName: fc.string(),
      state: fc.constantFrom('approved', 'changes_requested', 'commented'),
      body: fc.string(),
      commit: fc.constantFrom(sha('a'), sha('c')),
      submittedAt: fc.integer({ min: 0, max: 3_000 }),
      comments: fc.uniqueArray(
        fc.record({
          id: fc.constantFrom('c1', 'c2'),
          path: fc.string(),
          line: fc.option(fc.nat()),
          body: fc.string(),
          author: fc.constant<Actor>('human'),
        }),
        {
          selector: ({ id }) => id,
        },
      ),
      trusted: fc.boolean(),
    })
    // Ids of comments are unique on a forge.
    .map((one) => ({
      ...one,
      comments: one.comments.map((comment) => ({ ...comment, id: `${one.id}-${comment.id}` })),
    }))
  const anyPull: fc.Arbitrary<PullRequestSnapshot> = fc
    .record({
      state: fc.constantFrom('open', 'merged', 'closed'),
      draft: fc.boolean(),
      digit: fc.constantFrom('a', 'c'),
      base: fc.constantFrom('main', 'dev'),
      mergeable: fc.constantFrom('mergeable', 'conflicting', 'unknown'),
      reviewDecision: fc.constantFrom('approved', 'changes_requested', 'none'),
      reviews: fc.uniqueArray(anyReview, { selector: ({ id }) => id }),
      checks: fc.array(anyCheck, { maxLength: 3 }),
      checksState: fc.constantFrom('none', 'pending', 'passed', 'failed', 'unknown'),
      checksRequired: fc.boolean(),
      agentId: fc.option(fc.constant(OWNER)),
    } as const)
    .map(({ digit, base, ...rest }) =>
      pull({ ...rest, ...at(digit), base: { branch: asBranchName(base), sha: sha('b') } }),
    )

  it('finds nothing where nothing changed, whatever the state', () => {
    fc.assert(
      fc.property(anyPull, (one) => {
        const lastMergeable = one.mergeable === 'unknown' ? null : one.mergeable
        expect(diff(one, structuredClone(one), { lastMergeable })).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('makes only valid events, each with a key of its own, none of what is unknown', () => {
    fc.assert(
      fc.property(fc.option(anyPull), anyPull, (old, next) => {
        const events = diff(old, next)
        for (const event of events)
          expect(EVENTS[event.type].payload.safeParse(event.payload).error).toBeUndefined()
        const keys = events.map(({ dedupeKey }) => dedupeKey)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.every((key) => key?.startsWith('local#3:'))).toBe(true)
        const found = events.map(({ type }) => type)
        if (next.checksState === 'unknown' || next.checksState === 'none')
          expect(found.filter((type) => type.startsWith('ci.'))).toEqual([])
        if (next.mergeable === 'unknown')
          expect(
            found.filter((type) =>
              ['pr.conflict', 'pr.conflict_cleared', 'pr.ready'].includes(type),
            ),
          ).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('says nothing again of a head that exomonad itself rebased', () => {
    const same = { sameHead: () => true }
    for (const checksState of ['passed', 'failed'] as const) {
      const checks = [
        { name: 'ci', status: checksState, required: true, run: '1', url: null, logTail: null },
      ] as const
      const old = pull({ ...at('a'), checksState, checks })
      const next = pull({ ...at('c'), checksState, checks })
      const reported = (context: Partial<DiffContext>): string[] =>
        diff(old, next, context).map(({ type }) => type)
      expect(reported(same)).toEqual(['pr.pushed'])
      expect(reported({})).toEqual(
        checksState === 'passed'
          ? ['pr.pushed', 'ci.passed', 'pr.ready']
          : ['pr.pushed', 'ci.failed'],
      )
    }
  })

  it('says of a red check that it was of a landing, which is reported otherwise', () => {
    const red = {
      name: 'ci',
      status: 'failed',
      required: true,
      run: '9',
      url: null,
      logTail: 'x',
    } as const
    const reported = diff(
      pull(),
      pull({ checksState: 'failed', checks: [{ ...red, landing: true }] }),
    )
    expect(reported.find(({ type }) => type === 'ci.failed')?.payload).toMatchObject({
      landing: true,
    })
    const own = diff(pull(), pull({ checksState: 'failed', checks: [red] }))
    expect(own.find(({ type }) => type === 'ci.failed')?.payload).not.toHaveProperty('landing')
  })

  it('(20.19) reports once what is missing while only its number or its names change', () => {
    const blocked = (needs: string, about?: string): PullRequestSnapshot => {
      const blocker = {
        kind: 'rule',
        needs,
        person: false,
        ...(about === undefined ? {} : { about }),
      } as const
      return pull({ checksState: 'passed', checks: [check('passed')], blockers: [blocker] })
    }
    const three = blocked('its 3 open conversations to be resolved', 'conversations')
    expect(types(pull({ checksState: 'passed', checks: [check('passed')] }), three)).toEqual([
      'pr.blocked',
    ])
    expect(types(three, blocked('its open conversation to be resolved', 'conversations'))).toEqual(
      [],
    )
    expect(types(three, blocked('all its commits to be signed'))).toEqual(['pr.blocked'])
  })

  it('says the same of a change whether a look came in between that failed to know or not', () => {
    fc.assert(
      fc.property(anyPull, anyPull, (old, next) => {
        const lastMergeable = old.mergeable === 'unknown' ? null : old.mergeable
        const blurred: PullRequestSnapshot = {
          ...old,
          mergeable: 'unknown',
          checksState: 'unknown',
        }
        const keysOf = (events: readonly { dedupeKey?: string }[]) =>
          new Set(events.map(({ dedupeKey }) => dedupeKey))
        const direct = keysOf(diff(old, next, { lastMergeable }))
        const before = keysOf(diff(null, old, { lastMergeable: null }))
        const detour = [
          ...diff(old, blurred, { lastMergeable }),
          ...diff(blurred, next, { lastMergeable }),
        ]
        // What is said again carries a key that is known.
        for (const key of keysOf(detour)) expect(direct.has(key) || before.has(key)).toBe(true)
        for (const key of direct) expect(keysOf(detour).has(key)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
