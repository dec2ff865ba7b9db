import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { commentTargets, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prComment = defineEvent({
  type: 'pr.comment',
  summary: 'A pull request was commented on.',
  payload: {
    ...pull,
    comment_id: z.string(),
    author: z.string(),
    body: z.string(),
    trusted: z.boolean(),
  },
  tells: commentTargets,
  stays: true,
  line: ['✎', 'attention', (p) => words`comment on #${p.number}: ${p.body}`],
})
