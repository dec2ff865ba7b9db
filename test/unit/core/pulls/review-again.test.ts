import { describe, expect, it } from 'vitest'
import type { Forge, LineComment, Review } from '../../../../src/adapters/forge/forge.ts'
import { createOnce } from '../../../../src/core/once.ts'
import { createPullReview } from '../../../../src/core/pulls/review-pull.ts'
import type { Caller } from '../../../../src/domain/caller.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import type { Actor, AgentId, Sha } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'
import { pull as pullRequest } from '../../pull-watch/pull.ts'

const agent = makeAgent({ id: '00000000-0000-7000-8000-000000000001' as AgentId })
const caller: Caller = { kind: 'human', agent }
const now = 1_000_000
const comment: LineComment = {
  ...{ id: 'c1', path: 'a.txt', line: 1, body: 'Why?', author: 'forge:ada' as Actor, thread: 't' },
}
const input = {
  ...{ number: 7, verdict: 'request_changes' as const, body: 'Not yet.', comments: [] },
  replies: [
    { comment_id: 'c1', body: 'Because.', resolve: false },
    { comment_id: 'c2', body: 'And so.', resolve: false },
  ],
}

/** A forge that keeps reviews, and fails at `fails` as often as it says. */
function world(fails: { review?: number; reply?: number; read?: number }) {
  const reviews: Review[] = [
    {
      ...{ id: '1', author: 'forge:ada' as Actor, authorName: 'ada', state: 'commented', body: '' },
      ...{ commit: 'c' as Sha, submittedAt: 1, trusted: true },
      comments: [comment, { ...comment, id: 'c2', thread: 'u' }],
    },
  ]
  const made: string[] = []
  const fail = (what: keyof typeof fails): void => {
    const left = fails[what] ?? 0
    fails[what] = left - 1
    if (left > 0) throw new ExomonadError('FORGE_UNAVAILABLE', 'It does not answer.')
  }
  const forge: Pick<Forge, 'snapshots' | 'review' | 'reply'> = {
    snapshots: async ([number = 0]) => {
      fail('read')
      return [{ number, snapshot: pullRequest({ agentId: null, reviews: [...reviews] }) }]
    },
    review: async ({ author, state, body }) => {
      made.push('review')
      const review: Review = {
        ...{ id: String(reviews.length + 1), author, authorName: 'human', state, body },
        ...{ commit: 'c' as Sha, submittedAt: now + 5, comments: [], trusted: true },
      }
      reviews.push(review)
      fail('review')
      return review
    },
    reply: async ({ author, thread, body }) => {
      // The second of them: the first was said by then.
      if (thread === 'u') fail('reply')
      made.push(`reply ${thread}`)
      const [first] = reviews
      if (first === undefined) throw new Error('there is no review')
      const said = { ...comment, id: `r-${thread}`, author, thread, body }
      reviews[0] = { ...first, comments: [...first.comments, said] }
    },
  }
  const kept = new Map<string, unknown>()
  const once = createOnce({
    store: {
      snapshots: {
        get: async (key: string) => kept.get(key),
        put: async (key: string, value: unknown) => void kept.set(key, value),
        remove: async (key: string) => void kept.delete(key),
      },
    },
    gate: { data: (value: unknown) => value },
    clock: () => now,
  } as unknown as Parameters<typeof createOnce>[0])
  const review = createPullReview({
    store: { agents: { list: async () => [agent] } },
    forge,
    polling: { poll: async () => {} },
    requireLookedAt: async () => null,
  } as unknown as Parameters<typeof createPullReview>[0])
  return {
    made,
    kept,
    /** As somebody who presses the button again: the same call under the same key. */
    send: () =>
      once.run({ caller, tool: 'pr_review', key: 'k', input }, (context) =>
        review(caller, input, context),
      ),
  }
}

describe('a review that failed and is sent again', () => {
  it.each<[string, Parameters<typeof world>[0]]>([
    ['its reply was refused', { reply: 1 }],
    ['its reply was refused more than once', { reply: 2 }],
    ['it was made, and the answer of the forge was lost', { review: 1 }],
  ])('is made once where %s', async (_, fails) => {
    const { made, send } = world(fails)
    for (let left = (fails.reply ?? 0) + (fails.review ?? 0); left > 0; left--)
      await expect(send()).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(await send()).toEqual({ review_id: '2', state: 'changes_requested', replies: 2 })
    expect(made).toEqual(['review', 'reply t', 'reply u'])
    expect(await send()).toEqual({ review_id: '2', state: 'changes_requested', replies: 2 })
    expect(made).toEqual(['review', 'reply t', 'reply u'])
  })

  it('is forgotten where it failed before anything was made', async () => {
    const { made, kept, send } = world({ read: 1 })
    await expect(send()).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(kept).toEqual(new Map())
    await send()
    expect(made).toEqual(['review', 'reply t', 'reply u'])
  })
})
