import { describe, expect, it } from 'vitest'
import { blockersOf, readBranch, readChecks, type RawBranch } from '../../../src/adapters/forge/gitea/checks.ts'
import type { GiteaClient } from '../../../src/adapters/forge/gitea/client.ts'
import type { RawReview } from '../../../src/adapters/forge/gitea/reviews.ts'
import type { BranchName, Sha } from '../../../src/ids.ts'

const branch = (changes: Partial<RawBranch> = {}): RawBranch => ({
  required_approvals: 0,
  enable_status_check: false,
  status_check_contexts: [],
  user_can_merge: true,
  ...changes,
})
const client = (answers: Record<string, { status?: number; data: unknown }>): Pick<GiteaClient, 'rest'> => ({
  rest: async (route: string) => {
    const found = Object.entries(answers).find(([part]) => route.includes(part))
    return { status: found?.[1].status ?? 200, data: found?.[1].data as never, total: null }
  },
})
const statuses = (...list: [context: string, status: string][]) =>
  client({ '/status': { data: { statuses: list.map(([context, status], index) => ({ id: index + 1, context, status, target_url: '' })) } } })
const read = (from: Pick<GiteaClient, 'rest'>, protects: RawBranch | null = null) => readChecks(from, 'a'.repeat(40) as Sha, protects)

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
    expect(await read(statuses(...list))).toMatchObject({ checksState: state, checksRequired: false })
  })

  it('that the protection asks for count alone, by its globs, and are waited for', async () => {
    const protects = branch({ enable_status_check: true, status_check_contexts: ['ci/*', 'lint.?'] })
    expect(await read(statuses(['ci/test', 'success']), protects)).toMatchObject({ checksState: 'pending', checksRequired: true })
    expect(await read(statuses(['ci/test', 'success'], ['lint.1', 'success'], ['else', 'failure']), protects)).toMatchObject({
      checksState: 'passed',
      checks: [{ required: true }, { required: true }, { name: 'else', required: false, status: 'failed' }],
    })
    // A dot is a dot.
    expect(await read(statuses(['ci/test', 'success'], ['lintx1', 'success']), protects)).toMatchObject({ checksState: 'pending' })
    expect(await read(statuses(['else', 'success']), branch({ status_check_contexts: ['ci/*'] }))).toMatchObject({
      checksState: 'passed',
      checksRequired: false,
    })
  })
})

describe('what protects a branch on Gitea (20.21)', () => {
  const main = 'main' as BranchName
  const review = (login: string, state: RawReview['state'], changes: Partial<RawReview> = {}): RawReview => ({
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
  const needs = (protects: RawBranch | null, reviews: RawReview[] = []) =>
    blockersOf(protects, { reviews, base: main, host: 'git.example.com' }).map((blocker) => blocker.needs)

  it('asks for approvals of those whose count: the last word of each, not dismissed, official', () => {
    const two = branch({ required_approvals: 2 })
    expect(needs(branch())).toEqual([])
    expect(needs(null)).toEqual([])
    expect(needs(two)).toEqual(['2 more approvals by people on git.example.com'])
    expect(needs(two, [review('ann', 'APPROVED')])).toEqual(['1 more approval by people on git.example.com'])
    expect(needs(two, [review('ann', 'APPROVED'), review('ann', 'APPROVED')])).toHaveLength(1)
    expect(needs(two, [review('ann', 'APPROVED'), review('bob', 'APPROVED')])).toEqual([])
    for (const other of [review('bob', 'APPROVED', { official: false }), review('bob', 'APPROVED', { dismissed: true }), review('bob', 'COMMENT')]) {
      expect(needs(two, [review('ann', 'APPROVED'), other])).toHaveLength(1)
    }
    expect(needs(two, [review('ann', 'APPROVED'), review('bob', 'APPROVED'), review('bob', 'REQUEST_CHANGES')])).toHaveLength(1)
  })

  it('may let others merge', () => {
    expect(needs(branch({ user_can_merge: false }))).toEqual(['somebody who may merge into main: the token’s account may not'])
  })

  it('is not known of a branch that Gitea has not taken in', async () => {
    expect(await readBranch(client({ branches: { status: 500, data: null } }), main)).toBeNull()
    expect(await readBranch(client({ branches: { status: 404, data: null } }), main)).toBeNull()
    expect(await readBranch(client({ 'branches/main.a%2Fb': { data: branch() } }), 'main.a/b' as BranchName)).toMatchObject({ user_can_merge: true })
  })
})
