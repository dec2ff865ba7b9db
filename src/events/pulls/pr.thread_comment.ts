import { z } from 'zod'
import { placeText } from '../../domain/formats/line-range.ts'
import { defineEvent } from '../define.ts'
import { comment, commentTargets, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prThreadComment = defineEvent({
  type: 'pr.thread_comment',
  summary: 'A line of a pull request was commented on.',
  payload: {
    ...pull,
    comment_id: z.string(),
    ...comment.shape,
    trusted: z.boolean(),
  },
  tells: commentTargets,
  stays: true,
  line: [
    '✎',
    'attention',
    (p) =>
      words`comment on #${p.number} ${placeText({ path: p.path ?? '', line: p.line ?? null, startLine: p.start_line ?? null, side: p.side })}: ${p.body}`,
  ],
})
