import { describe, expect, it } from 'vitest'
import type { Review } from '../../../src/adapters/forge/forge.ts'
import { configSchema } from '../../../src/config/schema.ts'
import type { NewEvent } from '../../../src/events/event.ts'
import { diffPullRequest } from '../../../src/pull-watch/pull-events.ts'
import { asBranchName } from '../../../src/domain/ids.ts'
import { deadlinesOf, isActive, track, untracked } from '../../../src/pull-watch/tracking.ts'
import { OWNER, pull, sha } from './pull.ts'

const failed = (head: string, ...jobs: string[]): NewEvent => ({
  type: 'ci.failed',
  agentId: OWNER,
  actor: 'daemon',
  payload: {
    number: 3,
    title: 'Add login',
    url: '',
    head: 'main.auth',
    base: 'main',
    sha: sha(head),
    jobs: jobs.map((name) => ({ name, url: null, log: '' })),
    times: 1,
  },
  dedupeKey: jobs.join(),
})
const review = (changes: Partial<Review> = {}): Review => ({
  id: '1',
  author: 'forge:eve',
  authorName: 'eve',
  state: 'commented',
  body: '',
  commit: sha('a'),
  submittedAt: 1,
  comments: [],
  trusted: true,
  ...changes,
})

describe('what is remembered of a pull request', () => {
  it('counts the checks of a head as one round, however many fail one after another', () => {
    let tracking = untracked(0)
    for (const jobs of [['lint'], ['lint', 'test'], ['lint', 'test', 'docs']])
      tracking = track(tracking, pull(), [failed('a', ...jobs)], 1)
    expect(tracking).toMatchObject({ rounds: 1, failedHeads: 1 })
    tracking = track(tracking, pull(), [failed('c', 'lint')], 2)
    expect(tracking).toMatchObject({ rounds: 2, failedHeads: 2 })
  })

  it('keeps whether it conflicts while that is not known, and not for another base', () => {
    const conflicting = track(untracked(0), pull({ mergeable: 'conflicting' }), [], 1)
    const unknown = pull({ mergeable: 'unknown' })
    const retargeted = diffPullRequest(
      pull({ base: { branch: asBranchName('dev'), sha: null } }),
      unknown,
      {
        ...{
          repository: 'local',
          newsSince: 0,
          lastMergeable: 'conflicting',
          failures: 0,
          withdrawn: 0,
          sameHead: () => true,
          mergeStartedBy: null,
          remote: 'origin',
        },
      },
    )
    expect(retargeted.map(({ type }) => type)).toEqual(['pr.retargeted'])
    expect(track(conflicting, unknown, [], 2).lastMergeable).toBe('conflicting')
    expect(track(conflicting, unknown, retargeted, 2).lastMergeable).toBeNull()
    expect(
      track(conflicting, pull({ mergeable: 'conflicting' }), retargeted, 2).lastMergeable,
    ).toBe('conflicting')
    expect(
      track(conflicting, pull({ state: 'closed', mergeable: 'unknown' }), [], 2).lastMergeable,
    ).toBeNull()
  })

  it('goes on waiting for a review where only somebody without write access had something to say', () => {
    const { forge } = configSchema.parse({})
    const kinds = (one: Review): string[] =>
      deadlinesOf(untracked(0), pull({ reviews: [one] }), forge).map(({ kind }) => kind)
    expect(kinds(review())).toEqual(['stalled'])
    expect(kinds(review({ trusted: false }))).toEqual(['stalled', 'review'])
    expect(isActive(pull({ reviews: [review({ trusted: false })] }))).toBe(true)
    expect(isActive(pull({ reviews: [review()] }))).toBe(false)
  })
})

it('(20.18) in a merge queue it is looked at often, and nobody is asked to get on with it', () => {
  const forge = configSchema.parse({}).forge
  const queue = {
    kind: 'queue',
    by: 'forge:ann',
    since: 1,
    position: 1,
    state: 'checking',
    checks: null,
    checksState: 'unknown',
  } as const
  const auto = { kind: 'auto', by: 'forge:ann', since: 1 } as const
  const kinds = (scheduled: typeof queue | typeof auto): string[] =>
    deadlinesOf(untracked(0), pull({ scheduled }), forge).map(({ kind }) => kind)
  expect(kinds(queue)).toEqual([])
  expect(kinds(auto)).toEqual(['stalled', 'review'])
  expect(isActive(pull({ scheduled: queue, reviews: [review()] }))).toBe(true)
  expect(isActive(pull({ scheduled: auto, reviews: [review()] }))).toBe(false)
})
