import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { comment, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prReview = defineEvent({
  type: 'pr.review',
  summary: 'A review was submitted.',
  payload: {
    ...pull,
    review_id: z.string(),
    state: z.enum(['approved', 'changes_requested', 'commented']),
    author: z.string(),
    body: z.string(),
    /** The id is missing in events of before. */
    comments: z.array(comment.extend({ id: z.string().optional() })),
    trusted: z.boolean(),
    stale: z.boolean(),
  },
  tells: ({ trusted, state }) =>
    !trusted
      ? { parent: 'carry' }
      : state === 'approved'
        ? { owner: 'carry', parent: 'carry' }
        : { owner: 'wake' },
  stays: true,
  line: [
    '✎',
    'attention',
    (p) => words`review of #${p.number}: ${p.state?.replace('_', ' ')} by ${p.author}`,
  ],
})
