import { expect, it } from 'vitest'
import { createReviews } from '../../../../../src/adapters/forge/gitea/review.ts'

it('says the range of a comment in its words, which are on the last line: Gitea takes none', async () => {
  const sent: Record<string, unknown>[] = []
  const client = {
    rest: async (route: string, { body }: { body?: Record<string, unknown> } = {}) => {
      if (route.startsWith('POST')) {
        sent.push(body ?? {})
        return { status: 200, data: { id: 9, submitted_at: '2026-01-05T12:00:00Z' } }
      }
      if (!route.endsWith('/comments'))
        return { status: 200, data: { number: 3, state: 'open', head: { sha: 'a'.repeat(40) } } }
      const comments = sent.flatMap((one) => one['comments'] as { path: string; body: string }[])
      return { status: 200, data: comments.map((one, index) => ({ ...one, id: index + 1 })) }
    },
    pages: async () => [{ filename: 'a.ts' }],
  }
  const { review } = createReviews({
    repository: { host: 'git.example' },
    client,
    words: { forget: () => {} },
    clock: () => 0,
    nameOf: async () => 'lead',
    signer: async () => ({ sum: () => '5c', isSigned: () => true }),
    changed: () => {},
  } as unknown as Parameters<typeof createReviews>[0])
  const comment = { startLine: 3, line: 7, body: 'Why?' }
  const made = await review({
    number: 3,
    author: 'human',
    state: 'commented',
    body: '',
    comments: [
      { ...comment, path: 'a.ts' },
      { ...comment, path: 'untouched.ts' },
      { path: 'a.ts', line: 2, side: 'left', body: 'Was it needed?' },
    ],
  })
  expect(sent).toMatchObject([
    {
      body: expect.stringContaining('`untouched.ts:3-7`: Why?'),
      comments: [
        { path: 'a.ts', new_position: 7, old_position: 0, body: 'Lines 3–7: Why?' },
        { path: 'a.ts', new_position: 0, old_position: 2, body: 'Was it needed?' },
      ],
    },
  ])
  expect(made.comments).toMatchObject([
    { id: '1', path: 'a.ts', startLine: null, line: 7, body: 'Lines 3–7: Why?' },
    { id: '2', path: 'a.ts', line: 2, side: 'left', body: 'Was it needed?' },
  ])
})
