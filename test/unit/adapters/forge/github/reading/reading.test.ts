import fc from 'fast-check'
import { parse, specifiedRules, validate, getVariableValues, Kind } from 'graphql'
import { describe, expect, it } from 'vitest'
import type {
  FullPull,
  RawCheckRun,
  RawReview,
  RawState,
  RawStatus,
} from '../../../../../../src/adapters/forge/github/reading/answers.ts'
import { createCache } from '../../../../../../src/adapters/forge/github/reading/cache.ts'
import {
  fromGraphql,
  toChecks,
} from '../../../../../../src/adapters/forge/github/reading/checks/checks.ts'
import {
  createLogEnds,
  endOfLog,
} from '../../../../../../src/adapters/forge/github/reading/checks/log-ends.ts'
import { findPulls } from '../../../../../../src/adapters/forge/github/reading/find.ts'
import { inPages } from '../../../../../../src/adapters/forge/github/reading/pages.ts'
import {
  fullLook,
  ofHeads,
  QUERIES,
  STATES,
} from '../../../../../../src/adapters/forge/github/reading/queries.ts'
import {
  toComments,
  toReviews,
  type Readers,
} from '../../../../../../src/adapters/forge/github/reading/reviews.ts'
import { toSnapshot } from '../../../../../../src/adapters/forge/github/reading/to-snapshot.ts'
import { readStates } from '../../../../../../src/adapters/forge/github/reading/read-states.ts'
import { readPulls } from '../../../../../../src/adapters/forge/github/reading/read-details.ts'
import {
  accountOf,
  createBelieves,
  trustOf,
} from '../../../../../../src/adapters/forge/github/reading/trusted.ts'
import { markReview, readMark } from '../../../../../../src/adapters/forge/review-mark.ts'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import { asBranchName, parseAgentId, type AgentId } from '../../../../../../src/domain/ids.ts'
import { silentLog } from '../../../../../../src/runtime/log.ts'
import { costOf } from '../../../../../fixtures/github/graphql/cost.ts'
import { githubSchema } from '../../../../../fixtures/github/graphql/schema.ts'

const AGENT = parseAgentId('01890000-0000-7000-8000-000000000001')
const sha = (letter: string): string => letter.repeat(40)

const state = (changes: Partial<RawState> = {}): RawState => ({
  id: 'PR_1',
  number: 1,
  url: 'https://github.com/octo/widgets/pull/1',
  title: 'Title',
  state: 'OPEN',
  isDraft: false,
  headRefName: 'main.a',
  headRefOid: sha('a'),
  baseRefName: 'main',
  baseRefOid: sha('b'),
  baseRef: { target: { oid: sha('c') } },
  isCrossRepository: false,
  mergeable: 'MERGEABLE',
  reviewDecision: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:01:00Z',
  mergeCommit: null,
  mergedBy: null,
  statusCheckRollup: null,
  ...changes,
})
const full = (changes: Partial<FullPull> = {}): FullPull => ({
  state: state(),
  body: 'Words',
  author: { __typename: 'User', login: 'robot' },
  authorAssociation: 'COLLABORATOR',
  requiredContexts: [],
  rule: null,
  reviews: [],
  comments: [],
  contexts: [],
  threads: new Map(),
  requests: null,
  queueContexts: null,
  checksDenied: false,
  ...changes,
})
const review = (
  changes: Partial<Omit<RawReview, 'comments'>> &
    Pick<Partial<FullPull['reviews'][number]>, 'comments'> = {},
): FullPull['reviews'][number] => ({
  id: 'PRR_1',
  fullDatabaseId: '7000000001',
  state: 'COMMENTED',
  body: 'Well done',
  author: { __typename: 'User', login: 'ann' },
  authorAssociation: 'MEMBER',
  submittedAt: '2026-01-01T00:00:30Z',
  commit: { oid: sha('a') },
  comments: [],
  ...changes,
})
const lineComment = (
  changes: Partial<FullPull['reviews'][number]['comments'][number]> = {},
): FullPull['reviews'][number]['comments'][number] => ({
  fullDatabaseId: '7000000002',
  path: 'a.txt',
  line: 3,
  originalLine: 2,
  startLine: null,
  originalStartLine: null,
  body: 'Here',
  author: { __typename: 'User', login: 'ann' },
  authorAssociation: 'MEMBER',
  replyTo: null,
  ...changes,
})
/** Of a mark that is signed. */
const SUM = '5c'
const readers: Readers = {
  viewer: 'robot',
  trust: ({ login, bot }, association) => login === 'robot' || (!bot && association === 'MEMBER'),
  isOurs: (_, { sum }) => sum === SUM,
  nameOf: (actor) => (actor === AGENT ? 'lead' : actor),
}

const run = (
  changes: Partial<RawCheckRun> & {
    workflow?: string
    workflowId?: number
    event?: string
    app?: string
  } = {},
): RawCheckRun => {
  const {
    workflow = 'CI',
    workflowId = null,
    event = 'pull_request',
    app = 'github-actions',
    ...rest
  } = changes
  return {
    __typename: 'CheckRun',
    databaseId: 1,
    name: 'test',
    status: 'COMPLETED',
    conclusion: 'SUCCESS',
    startedAt: '2026-01-01T00:00:00Z',
    completedAt: '2026-01-01T00:01:00Z',
    detailsUrl: 'https://github.com/octo/widgets/actions/runs/5/job/1',
    permalink: 'https://github.com/octo/widgets/runs/1',
    title: null,
    isRequired: false,
    checkSuite: {
      status: 'COMPLETED',
      app: { slug: app },
      workflowRun:
        app === 'github-actions'
          ? { event, workflow: { databaseId: workflowId, name: workflow } }
          : null,
    },
    ...rest,
  }
}
const status = (changes: Partial<RawStatus> = {}): RawStatus => ({
  __typename: 'StatusContext',
  id: 'SC_1',
  context: 'ci/old',
  state: 'SUCCESS',
  targetUrl: 'https://ci.example/1',
  description: 'All is well',
  createdAt: '2026-01-01T00:00:00Z',
  isRequired: false,
  ...changes,
})
const checksOf = (
  contexts: readonly (RawCheckRun | RawStatus)[],
  expected: readonly string[] = [],
) => toChecks(contexts.map(fromGraphql), expected)

describe('what is asked of GitHub', () => {
  it('is valid by GitHub’s own schema', () => {
    for (const query of QUERIES)
      expect(validate(githubSchema(), parse(query), specifiedRules), query.slice(0, 80)).toEqual([])
  })

  it('costs little: a point for the states of a hundred, three for everything of twenty-five, one for those of fifty heads', () => {
    const points = (query: string, variables: Record<string, unknown> = {}): number => {
      const document = parse(query)
      const operation = document.definitions.find(
        (definition) => definition.kind === Kind.OPERATION_DEFINITION,
      )!
      const given = {
        owner: 'o',
        name: 'n',
        ...variables,
        ...Object.fromEntries(
          Array.from({ length: 50 }, (_, i) => [
            [`n${i}`, i + 1],
            [`h${i}`, `b${i}`],
          ]).flat(),
        ),
      }
      const { variableValues } = getVariableValues(
        githubSchema(),
        operation.variableDefinitions ?? [],
        given,
      )
      return costOf(githubSchema(), document, operation, variableValues!).points
    }
    expect(points(STATES, { ids: Array.from({ length: 100 }, (_, i) => `PR_${i}`) })).toBe(1)
    expect(points(fullLook(5))).toBe(1)
    expect(points(fullLook(25))).toBeLessThanOrEqual(4)
    expect(points(ofHeads(50, { base: true }))).toBe(1)
  })
})

describe('checks', () => {
  const conclusions: [string, string][] = [
    ['SUCCESS', 'passed'],
    ['NEUTRAL', 'passed'],
    ['SKIPPED', 'passed'],
    ['FAILURE', 'failed'],
    ['STARTUP_FAILURE', 'failed'],
    ['ACTION_REQUIRED', 'failed'],
    ['TIMED_OUT', 'timed_out'],
    ['CANCELLED', 'cancelled'],
    ['STALE', 'cancelled'],
  ]
  it.each(conclusions)('take %s for %s', (conclusion, expected) => {
    expect(checksOf([run({ conclusion })]).checks[0]?.status).toBe(expected)
  })

  it('say “none” where nothing has run, which is not “passed”', () => {
    expect(checksOf([])).toEqual({ checks: [], checksState: 'none', checksRequired: false })
  })

  it('count the latest run of the same alone, in whatever order they come', () => {
    const [first, again] = [run({ conclusion: 'FAILURE' }), run({ databaseId: 2 })]
    for (const contexts of [
      [first, again],
      [again, first],
    ]) {
      const { checks, checksState } = checksOf(contexts)
      expect(checksState).toBe('passed')
      expect(checks).toMatchObject([{ name: 'test', status: 'passed', run: '2' }])
    }
  })

  it('do not take the jobs of two workflows, apps or events for one another', () => {
    const { checks, checksState } = checksOf([
      run({ conclusion: 'FAILURE' }),
      run({ databaseId: 2, workflow: 'Release' }),
      run({ databaseId: 3, event: 'push' }),
      run({ databaseId: 4, app: 'other' }),
    ])
    expect(checksState).toBe('failed')
    expect(checks.map(({ name }) => name)).toEqual([
      'CI / test (pull_request)',
      'Release / test (pull_request)',
      'CI / test (push)',
      'test (other)',
    ])
  })

  it('do not take the jobs of two workflow files with one name for one another', () => {
    const { checks, checksState } = checksOf([
      run({ databaseId: 100, workflowId: 8, conclusion: 'FAILURE' }),
      run({ databaseId: 101, workflowId: 9 }),
    ])
    expect(checksState).toBe('failed')
    expect(checks).toMatchObject([
      { name: 'CI / test (pull_request)', status: 'failed', run: '100' },
      { name: 'CI / test (pull_request)', status: 'passed', run: '101' },
    ])
  })

  it('let only required ones count, where any are', () => {
    expect(
      checksOf([
        run({ isRequired: true }),
        run({ databaseId: 2, name: 'lint', conclusion: 'FAILURE' }),
      ]),
    ).toMatchObject({
      checksState: 'passed',
      checksRequired: true,
    })
    expect(
      checksOf([run(), run({ databaseId: 2, name: 'lint', conclusion: 'FAILURE' })]),
    ).toMatchObject({ checksState: 'failed', checksRequired: false })
  })

  it('wait for a required one that nobody has reported, and say so', () => {
    const { checks, checksState } = checksOf([run({ isRequired: true })], ['test', 'deploy'])
    expect(checksState).toBe('pending')
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'deploy',
        status: 'queued',
        required: true,
        logTail: 'not reported to GitHub yet',
      }),
    )
    expect(checksOf([], ['test'])).toMatchObject({ checksState: 'none', checksRequired: true })
  })

  it('are not through while a workflow has jobs to come, and report a failure before that', () => {
    const under = {
      status: 'IN_PROGRESS',
      app: { slug: 'github-actions' },
      workflowRun: { event: 'push', workflow: { databaseId: 7, name: 'CI' } },
    } as const
    expect(checksOf([run({ checkSuite: under })]).checksState).toBe('pending')
    expect(checksOf([run({ checkSuite: under, conclusion: 'FAILURE' })]).checksState).toBe('failed')
    expect(checksOf([run({ checkSuite: under, isRequired: true })]).checksState).toBe('passed')
  })

  it('hold a pull request whose check was cancelled, and call it neither passed nor failed', () => {
    expect(
      checksOf([run(), run({ databaseId: 2, name: 'lint', conclusion: 'CANCELLED' })]),
    ).toMatchObject({ checksState: 'none', checksRequired: true })
  })

  it('hold what older services say, too: a failure again is news, all well again is none', () => {
    const { checks, checksState } = checksOf([
      status(),
      status({ id: 'SC_2', context: 'ci/bad', state: 'ERROR', description: 'It broke' }),
    ])
    expect(checksState).toBe('failed')
    expect(checks).toMatchObject([
      { name: 'ci/old', status: 'passed', run: null },
      {
        name: 'ci/bad',
        status: 'failed',
        run: 'SC_2',
        logTail: 'It broke',
        url: 'https://ci.example/1',
      },
    ])
    expect(checksOf([status({ state: 'EXPECTED' })]).checksState).toBe('pending')
  })

  it('find the id of a run that is too large for GraphQL in its link', () => {
    const { checks } = checksOf([
      run({
        databaseId: null,
        permalink: 'https://github.com/octo/widgets/actions/runs/1/job/56000000001',
      }),
    ])
    expect(checks).toMatchObject([{ run: '56000000001', job: { id: 56_000_000_001 } }])
  })

  it('never say “passed” unless everything that counts has passed', () => {
    const contexts = fc.array(
      fc.record({
        databaseId: fc.nat(20),
        name: fc.constantFrom('a', 'b', 'c'),
        status: fc.constantFrom('COMPLETED', 'IN_PROGRESS', 'QUEUED', 'WAITING'),
        conclusion: fc.constantFrom('SUCCESS', 'SKIPPED', 'FAILURE', 'CANCELLED', null),
        isRequired: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(contexts, (list) => {
        const { checks, checksState, checksRequired } = checksOf(
          list.map((one) => run(one as Partial<RawCheckRun>)),
        )
        const counted = checks.some(({ required }) => required)
          ? checks.filter(({ required }) => required)
          : checks
        expect(checksState === 'passed').toBe(
          counted.length > 0 && counted.every((check) => check.status === 'passed'),
        )
        expect(checksState === 'failed').toBe(counted.some((check) => check.status === 'failed'))
        expect(checksState === 'none' && !checksRequired).toBe(list.length === 0)
      }),
    )
  })
})

describe('the end of a failed job’s log', () => {
  it('stops at the last error, without times, colours and what cleaned up', () => {
    const text = [
      '\uFEFF2026-01-01T00:00:00.1234567Z ##[group]Run npm test',
      '2026-01-01T00:00:01.0000000Z \u001b[31mnot ok 1\u001b[0m',
      '2026-01-01T00:00:02.0000000Z ##[error]Process completed with exit code 1.',
      '2026-01-01T00:00:03.0000000Z Post job cleanup.',
    ].join('\r\n')
    expect(endOfLog(text)).toBe(
      '##[group]Run npm test\nnot ok 1\n##[error]Process completed with exit code 1.',
    )
  })

  it('is the end, where nothing is marked as an error, and never long', () => {
    expect(endOfLog('a\nb\n')).toBe('a\nb')
    expect(endOfLog(`${'x'.repeat(10_000)}end`)).toMatch(/^….{3997}end$/)
  })
})

describe('logs of failed jobs', () => {
  it('keep nobody waiting for a host that does not answer: all others are left alone for a while', async () => {
    let now = Date.parse('2026-01-01T01:00:00Z')
    let isAway = true
    const asked: unknown[] = []
    const { add } = createLogEnds({
      clock: () => now,
      log: silentLog(),
      client: {
        async textTail(_, { job_id: job }) {
          asked.push(job)
          if (!isAway) return '##[error]Why'
          now += 30_000
          throw new ExomonadError('FORGE_UNAVAILABLE', 'no answer within 30 s')
        },
      },
    })
    const { checks } = checksOf(
      [1, 2, 3].map((id) => run({ databaseId: id, name: `test ${id}`, conclusion: 'FAILURE' })),
    )
    expect(await add(checks)).toMatchObject([
      { logTail: null },
      { logTail: null },
      { logTail: null },
    ])
    expect(asked).toEqual([1])
    isAway = false
    now += 120_000
    expect(await add(checks)).toMatchObject([
      { logTail: null },
      { logTail: '##[error]Why' },
      { logTail: '##[error]Why' },
    ])
  })
})

describe('whose words may reach an agent', () => {
  const asked: string[] = []
  const believes = createBelieves({
    viewer: 'Robot',
    trustedBots: ['dependabot[bot]', 'helpful'],
    mayWrite: async ({ login }) => {
      asked.push(login)
      return login === 'ann'
    },
  })
  const by = (login: string, typename = 'User') => accountOf({ __typename: typename, login })

  it('(20.1) are those of people who may write, whatever they are called beside their words, and of the token’s own account', async () => {
    for (const association of ['OWNER', 'MEMBER', 'CONTRIBUTOR', 'NONE'] as const) {
      expect(await believes(by('ann'), association)).toBe(true)
      expect(await believes(by('eve'), association)).toBe(false)
      expect(await believes(by('robot'), association)).toBe(true)
    }
    expect(asked).not.toContain('robot')
  })

  it('are those of bots that were named, and of Copilot’s reviewer, but of nobody who only has their name', async () => {
    expect(await believes(by('dependabot', 'Bot'), 'NONE')).toBe(true)
    expect(await believes(by('helpful', 'Bot'), 'CONTRIBUTOR')).toBe(true)
    expect(await believes(by('chatty', 'Bot'), 'MEMBER')).toBe(false)
    expect(await believes(by('copilot-pull-request-reviewer', 'Bot'), 'NONE')).toBe(true)
    expect(await believes(by('copilot-pull-request-reviewer'), 'NONE')).toBe(false)
    expect(await believes(by('helpful'), 'NONE')).toBe(false)
  })

  it('are found out once for each who wrote something, and never for whoever is gone', async () => {
    asked.length = 0
    const said = (login: string | null) => ({
      author: login === null ? null : { __typename: 'User', login },
      authorAssociation: 'NONE' as const,
    })
    const trust = await trustOf([said('ann'), said('eve'), said('ann'), said(null)], believes)
    expect(asked).toEqual(['ann', 'eve'])
    expect([
      trust(by('ann'), 'NONE'),
      trust(by('eve'), 'OWNER'),
      trust(accountOf(null), 'OWNER'),
    ]).toEqual([true, false, false])
  })
})

describe('reviews and comments', () => {
  it('of the token’s own account with a mark are those of whom the mark names', () => {
    const body = markReview(
      'Please fix.',
      { author: AGENT, state: 'changes_requested', sum: SUM },
      'lead',
    )
    expect(body).toContain('**lead** requests changes through exomonad:')
    const [found] = toReviews(
      [
        review({
          author: { __typename: 'User', login: 'robot' },
          body,
          comments: [lineComment({ author: { __typename: 'User', login: 'robot' } })],
        }),
      ],
      readers,
    )
    expect(found).toMatchObject({
      author: AGENT,
      authorName: 'lead',
      state: 'changes_requested',
      body: 'Please fix.',
      trusted: true,
    })
    expect(found?.comments).toMatchObject([
      { id: '7000000002', author: AGENT, path: 'a.txt', line: 3 },
    ])
  })

  it.each([
    ['a range', { startLine: 1 }, { line: 3, startLine: 1 }],
    ['one that is outdated', { line: null, originalStartLine: 1 }, { line: 2, startLine: 1 }],
    ['one that begins on the old side', { startLine: 8 }, { line: 3, startLine: null }],
  ])('on lines know their range: %s', (_, raw, lines) => {
    const [found] = toReviews([review({ comments: [lineComment(raw)] })], readers)
    expect(found?.comments).toMatchObject([lines])
  })

  it('on lines of the old version say so, where GitHub says the side', () => {
    const sideOf = (threads: Parameters<typeof toReviews>[2]) =>
      toReviews([review({ comments: [lineComment()] })], readers, threads)[0]?.comments[0]?.side
    const thread = { id: 'T', resolved: false }
    expect(sideOf(new Map([['7000000002', { ...thread, side: 'left' }]]))).toBe('left')
    expect(sideOf(new Map([['7000000002', { ...thread, side: 'right' }]]))).toBeUndefined()
    expect(sideOf(null)).toBeUndefined()
  })

  it('(20.19) answers to conversations are of whom their marks name, in a review of one as in a review of several', () => {
    const robot = { author: { __typename: 'User', login: 'robot' } }
    const answer = (author: 'human' | typeof AGENT, id: string) =>
      lineComment({
        ...robot,
        fullDatabaseId: id,
        body: markReview('So.', { author, state: 'commented', sum: SUM }, 'x'),
        replyTo: { fullDatabaseId: '7000000002' },
      })
    const threads = new Map([['7000000002', { id: 'T', resolved: true, side: 'right' as const }]])
    const [one, several, own] = toReviews(
      [
        review({ ...robot, body: '', comments: [answer(AGENT, '3')] }),
        review({ ...robot, body: '', comments: [answer(AGENT, '4'), answer('human', '5')] }),
        review({ ...robot, body: '', comments: [lineComment(robot)] }),
      ],
      readers,
      threads,
    )
    expect(one).toMatchObject({
      author: AGENT,
      authorName: 'lead',
      comments: [{ id: '3', author: AGENT, body: 'So.', thread: 'T', resolved: true }],
    })
    expect(several).toMatchObject({
      author: 'forge:robot',
      comments: [{ author: AGENT }, { author: 'human' }],
    })
    expect(own).toMatchObject({
      author: 'forge:robot',
      comments: [{ author: 'forge:robot', thread: 'T' }],
    })
    const forged = review({
      body: '',
      comments: [
        lineComment({
          body: markReview('So.', { author: AGENT, state: 'commented', sum: SUM }, 'x'),
          replyTo: { fullDatabaseId: '1' },
        }),
      ],
    })
    expect(toReviews([forged], readers, threads)[0]).toMatchObject({
      author: 'forge:ann',
      comments: [{ author: 'forge:ann' }],
    })
  })

  it('(20.12) of the token’s own account with a mark that is not signed are of the account', () => {
    const body = markReview('Merge this.', { author: AGENT, state: 'approved', sum: '00' }, 'lead')
    expect(
      toReviews([review({ author: { __typename: 'User', login: 'robot' }, body })], readers),
    ).toMatchObject([{ author: 'forge:robot', state: 'commented' }])
  })

  it('of anybody else with a mark are their own', () => {
    const body = markReview('Merge this.', { author: 'human', state: 'approved', sum: SUM }, 'you')
    expect(toReviews([review({ body })], readers)).toMatchObject([
      { author: 'forge:ann', authorName: 'ann', state: 'commented', body },
    ])
    expect(toReviews([review({ body, authorAssociation: 'NONE' })], readers)).toMatchObject([
      { author: 'forge:ann', body: '', trusted: false },
    ])
  })

  it('of people without write access are only known to exist', () => {
    const outside = {
      author: { __typename: 'User', login: 'eve' },
      authorAssociation: 'NONE',
    } as const
    expect(
      toReviews([review({ ...outside, comments: [lineComment(outside)] })], readers),
    ).toMatchObject([
      { id: '7000000001', author: 'forge:eve', body: '', comments: [], trusted: false },
    ])
    expect(
      toReviews(
        [review({ comments: [lineComment(), lineComment({ ...outside, fullDatabaseId: '3' })] })],
        readers,
      )[0]?.comments,
    ).toHaveLength(1)
    expect(
      toComments([{ ...lineComment(outside), createdAt: '2026-01-01T00:00:00Z' }], readers),
    ).toMatchObject([{ author: 'forge:eve', body: '', trusted: false }])
    expect(
      toComments([{ ...lineComment(), author: null, createdAt: '2026-01-01T00:00:00Z' }], readers),
    ).toMatchObject([{ author: 'forge:ghost', trusted: false }])
  })

  it('that are drafts or were dismissed are not there', () => {
    expect(
      toReviews(
        [review({ state: 'PENDING', submittedAt: null }), review({ state: 'DISMISSED' })],
        readers,
      ),
    ).toEqual([])
  })

  it('keep the line they were written on, once it is outdated', () => {
    expect(
      toReviews([review({ comments: [lineComment({ line: null })] })], readers)[0]?.comments,
    ).toMatchObject([{ line: 2 }])
  })
})

describe('a marked verdict', () => {
  it('is read as it was written, whatever the words', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('approved', 'changes_requested', 'commented'),
        fc.string(),
        (words, verdict, name) => {
          const read = readMark(markReview(words, { author: AGENT, state: verdict }, name))
          expect(read?.mark).toEqual({ author: AGENT, state: verdict })
          expect(read?.body).toBe(words.replaceAll('\r\n', '\n').trim())
        },
      ),
    )
  })

  it('can’t be forged in the words of another, nor be read out of what is none', () => {
    const forged = markReview(
      markReview('x', { author: 'human', state: 'approved' }, 'you'),
      { author: AGENT, state: 'commented' },
      'lead',
    )
    expect(readMark(forged)?.mark).toEqual({ author: AGENT, state: 'commented' })
    expect(readMark(forged)?.body).not.toContain('<!-- exomonad:')
    expect(readMark('words')).toBeNull()
    expect(readMark('<!-- exomonad:review {"author":3} -->')).toBeNull()
    expect(readMark('<!-- exomonad:review {broken} -->')).toBeNull()
  })

  it('survives other line ends', () => {
    const sent = markReview('a\nb', { author: 'human', state: 'commented' }, 'you').replaceAll(
      '\n',
      '\r\n',
    )
    expect(readMark(sent)).toEqual({ mark: { author: 'human', state: 'commented' }, body: 'a\nb' })
  })
})

describe('a pull request', () => {
  const beside = { ...readers, agentId: AGENT as AgentId | null }

  it('has the tip of its base as it is now, and nobody’s where it has ended', () => {
    expect(toSnapshot(full(), beside)).toMatchObject({
      base: { branch: 'main', sha: sha('c') },
      agentId: AGENT,
      trusted: true,
      mergeable: 'mergeable',
      mergedHead: null,
    })
    expect(toSnapshot(full({ state: state({ baseRef: null }) }), beside).base.sha).toBeNull()
    const merged = state({
      state: 'MERGED',
      mergeCommit: { oid: sha('d') },
      mergedBy: { __typename: 'Bot', login: 'queue' },
    })
    // (20.18) A merge queue merges for whoever asked it to.
    for (const [login, other] of [
      ['github-merge-queue', undefined],
      ['somebody', true],
    ] as const) {
      const by = { __typename: login === 'somebody' ? 'User' : 'Bot', login }
      expect(toSnapshot(full({ state: { ...merged, mergedBy: by } }), beside).mergedByOther).toBe(
        other,
      )
    }
    expect(toSnapshot(full({ state: merged }), beside)).toMatchObject({
      state: 'merged',
      base: { sha: null },
      mergeSha: sha('d'),
      mergedHead: sha('a'),
      mergedBy: 'forge:queue[bot]',
      mergeable: 'unknown',
    })
  })

  it('from a fork is never an agent’s, and says nothing, though the branch has the same name', () => {
    const found = toSnapshot(full({ state: state({ isCrossRepository: true }) }), beside)
    expect(found).toMatchObject({
      trusted: false,
      agentId: null,
      body: '',
      title: 'Pull request of robot',
    })
  })

  it('of somebody without write access says nothing either', () => {
    const outside = full({
      author: { __typename: 'Bot', login: 'chatty' },
      authorAssociation: 'NONE',
    })
    expect(toSnapshot(outside, { ...beside, agentId: null })).toMatchObject({
      trusted: true,
      body: '',
      title: 'Pull request of chatty[bot]',
    })
    expect(toSnapshot(outside, beside)).toMatchObject({ body: 'Words', title: 'Title' })
  })
})

describe('what was read before', () => {
  const at = Date.parse('2026-01-01T01:00:00Z')
  const opened = (pull: FullPull) => {
    let now = at
    const cache = createCache({ clock: () => now })
    cache.put(pull, now)
    return { cache, later: (milliseconds: number) => (now += milliseconds) }
  }

  it('holds as long as the state is the same, with the mergeability and base of now', () => {
    const { cache, later } = opened(full())
    later(30_000)
    const moved = state({ mergeable: 'CONFLICTING', baseRef: { target: { oid: sha('e') } } })
    expect(cache.brought(moved)).toMatchObject({
      body: 'Words',
      state: { mergeable: 'CONFLICTING', baseRef: { target: { oid: sha('e') } } },
    })
  })

  it('is read again when anything changed, after ten minutes, and where the clock was set back', () => {
    for (const change of [
      { headRefOid: sha('f') },
      { updatedAt: '2026-01-01T00:02:00Z' },
      { statusCheckRollup: { state: 'PENDING' as const } },
      { isDraft: true },
    ]) {
      expect(opened(full()).cache.brought(state(change))).toBeUndefined()
    }
    for (const passed of [600_000, -1]) {
      const { cache, later } = opened(full())
      later(passed)
      expect(cache.brought(state())).toBeUndefined()
    }
    const { cache } = opened(full())
    cache.put(full({ state: state({ state: 'CLOSED' }) }), at)
    expect(cache.nodeId(1)).toBeUndefined()
  })

  it('is read again each minute between the jobs of a workflow: the next one may be through before anybody looks', () => {
    const between = run({ checkSuite: { ...run().checkSuite, status: 'IN_PROGRESS' } })
    const { cache, later } = opened(
      full({ contexts: [between], state: state({ statusCheckRollup: { state: 'SUCCESS' } }) }),
    )
    expect(checksOf([between]).checksState).toBe('pending')
    later(60_000)
    expect(cache.brought(state({ statusCheckRollup: { state: 'SUCCESS' } }))).toBeUndefined()
  })

  it('is read again each minute while checks run, and where it changed in the very moment it was read', () => {
    const { cache, later } = opened(
      full({ contexts: [run({ status: 'IN_PROGRESS', conclusion: null })] }),
    )
    expect(cache.brought(state())).toBeDefined()
    later(60_000)
    expect(cache.brought(state())).toBeUndefined()
    const justNow = state({ updatedAt: new Date(at - 1_000).toISOString() })
    expect(opened(full({ state: justNow })).cache.brought(justNow)).toBeUndefined()
  })
})

describe('reading in pages', () => {
  const gaveUp = new ExomonadError('FORGE_UNAVAILABLE', 'gave up', { status: 502 })

  it('halves what GitHub gives up on, until only what can’t be read is unknown', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 25 }),
        fc.uniqueArray(fc.nat(59), { maxLength: 2 }),
        async (count, size, bad) => {
          const keys = Array.from({ length: count }, (_, index) => index)
          const results = await inPages<number, number>(keys, size, async (page) => {
            expect(page.length).toBeLessThanOrEqual(size)
            if (page.some((key) => bad.includes(key))) throw gaveUp
            return new Map(page.map((key) => [key, { value: key }]))
          })
          expect([...results.keys()].sort((a, b) => a - b)).toEqual(keys)
          for (const [key, read] of results)
            expect(read).toEqual(bad.includes(key) ? { unknown: 'gave up' } : { value: key })
        },
      ),
    )
  })

  it('asks no further where GitHub gives up on everything: it is down', async () => {
    let asked = 0
    const keys = Array.from({ length: 1000 }, (_, index) => index)
    const results = await inPages<number, number>(keys, 100, async () => {
      asked += 1
      throw gaveUp
    })
    expect(asked).toBeLessThan(15)
    expect([...results.keys()].sort((a, b) => a - b)).toEqual(keys)
    for (const read of results.values()) expect(read).toEqual({ unknown: 'gave up' })
  })

  it('asks no further where GitHub is away', async () => {
    let asked = 0
    const results = await inPages<number, number>([1, 2, 3, 4], 1, async () => {
      asked += 1
      throw new ExomonadError('FORGE_UNAVAILABLE', 'away', { retry_at: 1 })
    })
    expect(asked).toBe(1)
    expect([...results.values()]).toEqual(Array.from({ length: 4 }, () => ({ unknown: 'away' })))
  })
})

describe('an answer with a part missing', () => {
  type Reply = {
    readonly data: unknown
    readonly errors?: readonly { type: string | null; message: string; path: (string | number)[] }[]
  }
  const answering = (...answers: readonly Reply[]) => {
    const asked: Readonly<Record<string, unknown>>[] = []
    return {
      asked,
      graphql: async <Data>(_: string, variables: Readonly<Record<string, unknown>> = {}) => {
        const { data, errors = [] } = answers[asked.push(variables) - 1]!
        return { data: data as Data, errors }
      },
    }
  }
  const broken = (...path: (string | number)[]) => ({
    type: null,
    message: 'Something went wrong',
    path,
  })
  const list = <Node>(...nodes: Node[]) => ({
    nodes,
    pageInfo: { hasNextPage: false, endCursor: null },
  })
  const rawPull = (changes: object = {}) => ({
    ...state(),
    ...full(),
    contexts: undefined,
    reviews: list(),
    comments: list(),
    statusCheckRollup: null,
    ...changes,
  })

  it('makes only those unknown that it touches', async () => {
    const client = answering({
      data: { nodes: [state({ id: 'A' }), null, state({ id: 'C' }), null] },
      errors: [broken('nodes', 2, 'baseRef'), broken('nodes', 1)],
    })
    expect([...(await readStates(client, ['A', 'B', 'C', 'D'])).values()]).toEqual([
      { value: state({ id: 'A' }) },
      { unknown: expect.stringContaining('Something went wrong') },
      { unknown: expect.stringContaining('Something went wrong') },
      { unknown: expect.any(String) },
    ])
  })

  it('is asked for in halves where it was too much at once', async () => {
    const tooMuch = {
      type: 'RESOURCE_LIMITS_EXCEEDED',
      message: 'Resource limits for this query exceeded.',
      path: ['nodes', 1],
    }
    const client = answering(
      { data: { nodes: [state({ id: 'A' }), null] }, errors: [tooMuch] },
      { data: { nodes: [state({ id: 'A' })] } },
      { data: { nodes: [state({ id: 'B' })] } },
    )
    expect([...(await readStates(client, ['A', 'B'])).values()]).toEqual([
      { value: state({ id: 'A' }) },
      { value: state({ id: 'B' }) },
    ])
  })

  it('makes everything unknown where it does not say what it is about', async () => {
    const client = answering({ data: { nodes: [state({ id: 'A' })] }, errors: [broken()] })
    expect(await readStates(client, ['A'])).toEqual(
      new Map([['A', { unknown: expect.any(String) }]]),
    )
  })

  it('is no failure where the token may not read checks, and “missing” only where GitHub says so of the pull request itself', async () => {
    const forbidden = {
      type: 'FORBIDDEN',
      message: 'Resource not accessible',
      path: ['repository', 'p0', 'statusCheckRollup'],
    }
    const notFound = { type: 'NOT_FOUND', message: 'Could not resolve', path: ['repository', 'p1'] }
    const client = answering({
      data: {
        repository: { databaseId: 1, p0: rawPull(), p1: null, p2: rawPull({ reviews: null }) },
      },
      errors: [forbidden, notFound, { ...notFound, path: ['repository', 'p2', 'reviews'] }],
    })
    const results = await readPulls(client, [10, 11, 12], () => true)
    expect(results.get(10)).toMatchObject({ value: { checksDenied: true, contexts: [] } })
    expect(results.get(11)).toEqual({ missing: true })
    expect(results.get(12)).toHaveProperty('unknown')
  })

  it('is not believed where another repository has the name by now', async () => {
    const client = answering({ data: { repository: { databaseId: 2, p0: rawPull() } } })
    expect(await readPulls(client, [10], (id) => id === 1)).toEqual(
      new Map([[10, { unknown: expect.stringContaining('Another repository'), denied: true }]]),
    )
  })

  it('makes a search fail, with the permission that a token lacks; else it goes on to the last page', async () => {
    const page = (numbers: number[], endCursor: string | null) => ({
      pageInfo: { hasNextPage: endCursor !== null, endCursor },
      nodes: numbers.map((number) => ({ number, isCrossRepository: number === 5 })),
    })
    const pages = [
      { data: { repository: { h0: page([9, 5], 'x'), h1: page([7], null) } } },
      { data: { repository: { pullRequests: page([8], null) } } },
    ]
    const client = answering(...pages)
    expect(
      await findPulls(client, { heads: [asBranchName('a'), asBranchName('b')], state: 'open' }),
    ).toEqual([7, 8, 9])
    expect(client.asked[1]).toEqual({ states: ['OPEN'], head: 'a', after: 'x' })
    const forbidden = {
      type: 'FORBIDDEN',
      message: 'Resource not accessible by personal access token',
      path: ['repository', 'h0'],
    }
    const denied = answering({ data: { repository: { h0: null } }, errors: [forbidden] })
    await expect(findPulls(denied, { heads: [asBranchName('a')] })).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringMatching(
        /not accessible by personal access token.*“Pull requests: read”/,
      ),
    })
    const partly = answering({ ...pages[0]!, errors: [broken('repository', 'h1')] })
    await expect(findPulls(partly, { heads: [asBranchName('a')] })).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
  })
})
