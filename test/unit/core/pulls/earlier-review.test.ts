import { describe, expect, it } from 'vitest'
import type { LineComment, Review } from '../../../../src/adapters/forge/forge.ts'
import { earlierReview, isSaid } from '../../../../src/core/pulls/earlier-review.ts'
import type { Actor, BranchName, Sha } from '../../../../src/domain/ids.ts'

const human = 'human' as Actor
const since = 1_000_000
const line = (change: Partial<LineComment> = {}): LineComment => ({
  ...{ id: '1', path: 'a.ts', line: 3, body: 'Rename it', author: human, thread: 't' },
  ...change,
})
const review = (change: Partial<Review> = {}): Review => ({
  ...{ id: '9', author: human, authorName: 'human', state: 'changes_requested', body: 'No.' },
  ...{ commit: 'c' as Sha, submittedAt: since + 5, comments: [line()], trusted: true },
  ...change,
})
const sent = {
  author: human,
  state: 'changes_requested',
  body: 'No.',
  comments: [{ body: 'Rename it' }],
} as const

const pull = (...reviews: Review[]) =>
  ({ reviews, head: { branch: 'main.a' as BranchName, sha: 'c3' as Sha } }) as const

describe('a review of which nobody knows whether it was sent', () => {
  it('is found where it was', () => {
    const reviews = [review({ id: '8', submittedAt: since - 200_000 }), review()]
    expect(earlierReview(pull(...reviews), sent, since)?.id).toBe('9')
    const folded = review({ body: 'No.\n\n`gone.ts:3`: Rename it', comments: [] })
    expect(earlierReview(pull(folded), sent, since)).toBe(folded)
  })

  it.each<[string, Partial<Review>]>([
    ['is of somebody else', { author: 'forge:ada' as Actor }],
    ['decides something else', { state: 'commented' }],
    ['says something else', { body: 'Yes.' }],
    ['lacks a comment', { comments: [] }],
    ['was there long before', { submittedAt: since - 100_000 }],
  ])('is not one that %s', (_, change) => {
    expect(earlierReview(pull(review(change)), sent, since)).toBeUndefined()
  })

  it('is of the head that was looked at, or of what that was rebased to', () => {
    const found = (commit: string) =>
      earlierReview(pull(review({ commit: commit as Sha })), { ...sent, head: 'c2' }, since)?.commit
    expect(found('c2')).toBe('c2')
    expect(found('c3')).toBe('c3')
    expect(found('c1')).toBeUndefined()
  })

  it('has the replies that were said already', () => {
    const reply = { thread: 't', body: 'Rename it', resolve: false }
    expect(isSaid({ reviews: [review()] }, human, reply)).toBe(true)
    expect(isSaid({ reviews: [review()] }, human, { ...reply, resolve: true })).toBe(false)
    expect(isSaid({ reviews: [review()] }, human, { ...reply, body: 'Done' })).toBe(false)
    const resolved = { reviews: [review({ comments: [line({ resolved: true })] })] }
    expect(isSaid(resolved, human, { ...reply, body: '', resolve: true })).toBe(true)
    expect(isSaid({ reviews: [] }, human, reply)).toBe(false)
  })
})
