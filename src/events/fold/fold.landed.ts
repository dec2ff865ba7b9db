import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other } from '../shapes.ts'
import { numbers, words } from '../words.ts'

export const foldLanded = defineEvent({
  type: 'fold.landed',
  summary: 'A base was moved to a commit that was checked: all that landed with it.',
  payload: {
    branch: z.string(),
    sha: z.string(),
    pulls: z.array(other),
  },
  minor: true,
  line: [
    '⇐',
    'special',
    (p) => words`${p.branch} moved to ${p.sha?.slice(0, 8)} with ${numbers(p.pulls)}`,
  ],
})
