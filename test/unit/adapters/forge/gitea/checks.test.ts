import { describe, expect, it } from 'vitest'
import { readChecks } from '../../../../../src/adapters/forge/gitea/checks.ts'
import type { GiteaClient } from '../../../../../src/adapters/forge/gitea/client.ts'
import { matchesGlob } from '../../../../../src/adapters/forge/gitea/glob.ts'
import {
  blockersOf,
  readProtection,
  type RawBranch,
  type RawRule,
} from '../../../../../src/adapters/forge/gitea/protection.ts'
import type { RawReview } from '../../../../../src/adapters/forge/gitea/reviews.ts'
import type { BranchName, Sha } from '../../../../../src/domain/ids.ts'

const branch = (changes: Partial<RawBranch> = {}): RawBranch => ({
  required_approvals: 0,
  enable_status_check: false,
  status_check_contexts: [],
  user_can_merge: true,
  ...changes,
})
const client = (
  answers: Record<string, { status?: number; data: unknown }>,
): Pick<GiteaClient, 'rest'> => ({
  rest: async (route: string) => {
    const found = Object.entries(answers).find(([part]) => route.includes(part))
    return { status: found?.[1].status ?? 200, data: found?.[1].data as never, total: null }
  },
})
const statuses = (...list: [context: string, status: string][]): Pick<GiteaClient, 'pages'> => ({
  pages: async () =>
    list.map(([context, status], index) => ({
      id: index + 1,
      context,
      status,
      target_url: '',
    })) as never,
})
const read = (from: Pick<GiteaClient, 'pages'>, protects: RawBranch | null = null) =>
  readChecks(from, 'a'.repeat(40) as Sha, protects)

describe('statuses on Gitea (20.21)', () => {
  it.each([
    [[], 'none'],
    [[['ci', 'pending']], 'pending'],
    [
      [
        ['ci', 'success'],
        ['lint', 'warning'],
        ['docs', 'skipped'],
      ],
      'passed',
    ],
    [
      [
        ['ci', 'success'],
        ['lint', 'error'],
      ],
      'failed',
    ],
    [
      [
        ['ci', 'pending'],
        ['lint', 'failure'],
      ],
      'failed',
    ],
  ] as [[string, string][], string][])('%j come to %s', async (list, state) => {
    expect(await read(statuses(...list))).toMatchObject({
      checksState: state,
      checksRequired: false,
    })
  })

  it('that the protection asks for count alone, by its globs, and are waited for', async () => {
    const protects = branch({
      enable_status_check: true,
      status_check_contexts: ['ci/*', 'lint.?'],
    })
    expect(await read(statuses(['ci/test', 'success']), protects)).toMatchObject({
      checksState: 'pending',
      checksRequired: true,
    })
    expect(
      await read(
        statuses(['ci/test', 'success'], ['lint.1', 'success'], ['else', 'failure']),
        protects,
      ),
    ).toMatchObject({
      checksState: 'passed',
      checks: [
        { required: true },
        { required: true },
        { name: 'else', required: false, status: 'failed' },
      ],
    })
    // A dot is a dot.
    expect(
      await read(statuses(['ci/test', 'success'], ['lintx1', 'success']), protects),
    ).toMatchObject({ checksState: 'pending' })
    expect(
      await read(statuses(['else', 'success']), branch({ status_check_contexts: ['ci/*'] })),
    ).toMatchObject({
      checksState: 'passed',
      checksRequired: false,
    })
  })

  it('are all required where the protection names none, one at least, and none with a warning', async () => {
    const protects = branch({ enable_status_check: true, status_check_contexts: null })
    expect(await read(statuses(), protects)).toMatchObject({
      checksState: 'pending',
      checksRequired: true,
    })
    expect(await read(statuses(['ci', 'success'], ['docs', 'skipped']), protects)).toMatchObject({
      checksState: 'passed',
      checks: [{ required: true }, {}],
    })
    expect(await read(statuses(['ci', 'success'], ['docs', 'warning']), protects)).toMatchObject({
      checksState: 'failed',
    })
    const ci = branch({ enable_status_check: true, status_check_contexts: ['ci'] })
    expect(await read(statuses(['ci', 'success'], ['docs', 'warning']), ci)).toMatchObject({
      checksState: 'passed',
      checks: [{}, { status: 'passed' }],
    })
  })

  it.each([
    ['ci/*', 'ci/a/b', true],
    ['ci/*', 'xci/a', false],
    ['lint.?', 'lintx1', false],
    ['test (node {20,22})', 'test (node 22)', true],
    ['test (node {20,22})', 'test (node 24)', false],
    ['ci-[a-c]', 'ci-b', true],
    ['ci-[!a-c]', 'ci-b', false],
    ['ci-[^a]', 'ci-^', true],
    [String.raw`ci\*`, 'ci*', true],
    [String.raw`ci\*`, 'ci-1', false],
    ['a,b', 'a,b', true],
    ['{a', 'a', false],
    ['[z-a]', 'b', false],
  ])('of a glob %s: %s is meant: %j', (glob, context, matches) => {
    expect(matchesGlob(glob, context)).toBe(matches)
  })
})

describe('what protects a branch on Gitea (20.21)', () => {
  const main = 'main' as BranchName
  const review = (
    login: string,
    state: RawReview['state'],
    changes: Partial<RawReview> = {},
  ): RawReview => ({
    id: 1,
    user: { login },
    state,
    body: '',
    commit_id: '',
    stale: false,
    official: true,
    dismissed: false,
    comments_count: 0,
    submitted_at: '',
    ...changes,
  })
  const rule = (changes: Partial<RawRule>): RawRule => ({
    block_on_rejected_reviews: false,
    block_on_official_review_requests: false,
    block_on_outdated_branch: false,
    ignore_stale_approvals: false,
    ...changes,
  })
  const needs = (
    protects: RawBranch | null,
    reviews: RawReview[] = [],
    asks: Partial<RawRule> | null = null,
    isBehind = false,
  ) =>
    blockersOf(protects && { branch: protects, rule: asks && rule(asks) }, {
      reviews,
      base: main,
      host: 'git.example.com',
      isBehind,
    }).map((blocker) => blocker.needs)

  it('asks for approvals of those whose count: the last word of each, not dismissed, official', () => {
    const two = branch({ required_approvals: 2 })
    expect(needs(branch())).toEqual([])
    expect(needs(null)).toEqual([])
    expect(needs(two)).toEqual(['2 more approvals by people on git.example.com'])
    expect(needs(two, [review('ann', 'APPROVED')])).toEqual([
      '1 more approval by people on git.example.com',
    ])
    expect(needs(two, [review('ann', 'APPROVED'), review('ann', 'APPROVED')])).toHaveLength(1)
    expect(needs(two, [review('ann', 'APPROVED'), review('bob', 'APPROVED')])).toEqual([])
    for (const other of [
      review('bob', 'APPROVED', { official: false }),
      review('bob', 'APPROVED', { dismissed: true }),
      review('bob', 'COMMENT'),
    ]) {
      expect(needs(two, [review('ann', 'APPROVED'), other])).toHaveLength(1)
    }
    expect(
      needs(two, [
        review('ann', 'APPROVED'),
        review('bob', 'APPROVED'),
        review('bob', 'REQUEST_CHANGES'),
      ]),
    ).toHaveLength(1)
  })

  it('may let others merge', () => {
    expect(needs(branch({ user_can_merge: false }))).toEqual([
      'somebody who may merge into main: the token’s account may not',
    ])
  })

  it('is asked for by its rule, where the token may read it', () => {
    const stale = [review('ann', 'APPROVED', { stale: true })]
    expect(needs(branch({ required_approvals: 1 }), stale, {})).toEqual([])
    expect(
      needs(branch({ required_approvals: 1 }), stale, { ignore_stale_approvals: true }),
    ).toHaveLength(1)
    const no = [
      review('ann', 'REQUEST_CHANGES'),
      review('eve', 'REQUEST_CHANGES', { official: false }),
      review('bob', 'REQUEST_REVIEW'),
    ]
    expect(needs(branch(), no, {})).toEqual([])
    expect(needs(branch(), no, { block_on_rejected_reviews: true })).toEqual([
      'ann to approve it on git.example.com, or that review to be dismissed',
    ])
    expect(needs(branch(), no, { block_on_official_review_requests: true })).toEqual([
      'the review of bob on git.example.com, who was asked for it',
    ])
    const team = review('x', 'REQUEST_REVIEW', { user: null, team: { name: 'Owners' } })
    expect(needs(branch(), [team], { block_on_official_review_requests: true })[0]).toContain(
      'Owners',
    )
    expect(needs(branch(), [], { block_on_outdated_branch: true }, true)).toEqual([
      'to be brought up to date with main',
    ])
    expect(needs(branch(), [], { block_on_outdated_branch: true })).toEqual([])
    expect(needs(branch(), [], {}, true)).toEqual([])
  })

  it('is not known of a branch that Gitea has not taken in', async () => {
    expect(await readProtection(client({ branches: { status: 500, data: null } }), main)).toBeNull()
    expect(await readProtection(client({ branches: { status: 404, data: null } }), main)).toBeNull()
    const nested = { 'branches/main.a%2Fb': { data: branch() } }
    expect(await readProtection(client(nested), 'main.a/b' as BranchName)).toMatchObject({
      branch: { user_can_merge: true },
      rule: null,
    })
    const named = { 'branches/main': { data: branch({ effective_branch_protection_name: 'ma*' }) } }
    expect(
      await readProtection(
        client({
          ...named,
          'branch_protections/ma*': { data: rule({ block_on_outdated_branch: true }) },
        }),
        main,
      ),
    ).toMatchObject({
      rule: { block_on_outdated_branch: true },
    })
    expect(
      await readProtection(
        client({ ...named, branch_protections: { status: 403, data: null } }),
        main,
      ),
    ).toMatchObject({ rule: null })
  })
})
