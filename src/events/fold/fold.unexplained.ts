import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other } from '../shapes.ts'
import { numbers, words } from '../words.ts'

export const foldUnexplained = defineEvent({
  type: 'fold.unexplained',
  summary:
    'The chain of a base was red, and no one or two of its pull requests explain it: the check is flaky, the base is red, or it takes more than two. Reported once.',
  payload: {
    branch: z.string(),
    pulls: z.array(other),
    /** `flaky`: with nothing changed it was green the next time. */
    reason: z.enum(['flaky', 'base_red', 'unexplained']),
    log: z.string(),
    log_url: z.string().nullable(),
  },
  tells: { owner: 'carry' },
  line: [
    '✗',
    'attention',
    (p) =>
      p.reason === 'flaky'
        ? words`the check of ${numbers(p.pulls)} on ${p.branch} is flaky: red, then green`
        : words`${numbers(p.pulls)} are red on ${p.branch}${p.reason === 'base_red' ? ', which is red without them' : ', and no few of them explain it'}`,
  ],
})
