import { describe, expect, it } from 'vitest'
import { countsOf, pullsLike } from '../../../web/src/views/pulls/filter.ts'
import { threadsOf, type PullReview } from '../../../web/src/views/pulls/review/threads.ts'
import {
  mergeChoices,
  standsAgainst,
  stateChip,
  type PullDetails,
  type PullSummary,
} from '../../../web/src/views/pulls/words.ts'

const pull = (facts: Partial<PullSummary> = {}): PullSummary => ({
  number: 3,
  url: 'exomonad://pull/3',
  title: 'Add the login',
  state: 'open',
  draft: false,
  head_branch: 'main.auth',
  base_branch: 'main',
  agent: 'auth',
  checks: 'passed',
  review: 'none',
  mergeable: 'mergeable',
  head_sha: 'a'.repeat(40),
  landing: null,
  scheduled: null,
  ...facts,
})
const details = (facts: Partial<PullDetails> = {}) =>
  ({ ...pull(), conflict_files: [], asked_reviewers: [], ...facts }) as PullDetails

describe('the list of pull requests', () => {
  const landing: PullSummary['landing'] = { step: 'checking', since_seconds: 3, together: [] }
  const pulls = [
    pull(),
    pull({ number: 4, title: 'Sessions', agent: 'sessions', checks: 'failed' }),
    pull({ number: 5, landing }),
    pull({ number: 6, state: 'merged' }),
  ]

  it('counts and shows those of a state, the newest first', () => {
    expect(countsOf(pulls)).toEqual({ open: 3, landing: 1, merged: 1, closed: 0, all: 4 })
    expect(pullsLike(pulls, 'open', '').map(({ number }) => number)).toEqual([5, 4, 3])
    expect(pullsLike(pulls, 'landing', '').map(({ number }) => number)).toEqual([5])
  })

  it('is searched by words, numbers and how checks stand', () => {
    const found = (text: string) => pullsLike(pulls, 'all', text).map(({ number }) => number)
    expect(found('login AUTH')).toEqual([6, 5, 3])
    expect(found('checks:failed')).toEqual([4])
    expect(found('#4')).toEqual([4])
  })

  it('says how one stands by what comes first', () => {
    expect(stateChip(pull({ landing })).text).toBe('result is checked')
    expect(stateChip(pull({ draft: true })).text).toBe('draft')
    expect(stateChip(pull({ state: 'closed', draft: true })).text).toBe('closed')
  })
})

describe('what stands against a merge', () => {
  it('is named, one by one', () => {
    expect(standsAgainst(details())).toEqual([])
    const all = standsAgainst(
      details({
        checks: 'failed',
        mergeable: 'conflicting',
        conflict_files: ['a.ts'],
        review: 'changes_requested',
        asked_reviewers: [{ name: 'kim', code_owner: true }],
      }),
    )
    expect(all).toHaveLength(4)
    expect(all[0]).toContain('a.ts')
    expect(standsAgainst(details({ state: 'merged', checks: 'failed' }))).toEqual([])
  })
})

describe('what was ticked beside a merge', () => {
  const head = 'a'.repeat(40)
  const ticked = { head, force: true, later: true }
  const url = 'https://forge/3'
  const chosen = (facts: Partial<PullDetails>, now = head) =>
    mergeChoices(details({ url, ...facts }), now, ticked).chosen

  it('is asked for while it is on the screen, and not once nothing stands against the merge', () => {
    expect(chosen({ checks: 'pending' })).toEqual({ force: true, later: true })
    expect(chosen({ checks: 'passed' })).toEqual({ force: false, later: false })
    expect(chosen({ mergeable: 'conflicting' })).toEqual({ force: false, later: true })
    expect(chosen({ checks: 'pending', url: 'exomonad://pull/3' })).toEqual({
      force: true,
      later: false,
    })
  })

  it('is for the commits that were there then', () => {
    expect(chosen({ checks: 'failed' }, 'b'.repeat(40))).toEqual({ force: false, later: false })
  })
})

describe('conversations on lines', () => {
  type Comment = PullReview['comments'][number]
  const comment = (id: string, facts: Partial<Comment> = {}): Comment => ({
    ...{ id, path: 'a.ts', line: 7, start_line: null, side: 'right', body: id },
    conversation: 'open',
    ...{ author: 'lead', thread: null },
    ...facts,
  })
  const review = (facts: Partial<PullReview>): PullReview => ({
    ...{ id: 'r', author: 'lead', agent_id: null, state: 'commented', body: '', stale: false },
    ...{ commit: 'a', submitted_at: 0, comments: [] },
    ...{ trusted: true, withheld: false, not_counted: null },
    ...{ agent_id: null, commit: '', submitted_at: 0 },
    ...facts,
  })
  const reviews = [
    review({ stale: true, comments: [comment('1'), comment('2', { line: 9, start_line: 8 })] }),
    review({ author: 'auth', comments: [comment('3', { author: 'auth' })] }),
  ]
  const shown = (of: readonly PullReview[]) =>
    threadsOf(of, { movesLines: false }).map(({ comments }) =>
      comments.map(({ id, author }) => `${author} ${id}`),
    )

  it('hold what was said of the same lines, with who said it', () =>
    expect(shown(reviews)).toEqual([['lead 1', 'auth 3'], ['lead 2']]))

  it('of the same line of both versions are two', () =>
    expect(
      shown([review({ comments: [comment('1'), comment('2', { side: 'left' })] })]),
    ).toHaveLength(2))

  it('are those of the forge, where it says which', () => {
    const apart = [
      review({ comments: [comment('1', { thread: 't1' }), comment('2', { thread: 't2' })] }),
      review({ comments: [comment('3', { thread: 't1', line: null })] }),
    ]
    expect(shown(apart)).toEqual([['lead 1', 'lead 3'], ['lead 2']])
  })

  it('are outdated where all of it is of an older head, and the forge does not move its lines', () => {
    const outdated = (movesLines: boolean) =>
      threadsOf(reviews, { movesLines }).map(({ isOutdated }) => isOutdated)
    expect(outdated(false)).toEqual([false, true])
    expect(outdated(true)).toEqual([false, false])
  })
})
