import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other } from '../shapes.ts'
import { numbers, words } from '../words.ts'

export const foldGreen = defineEvent({
  type: 'fold.green',
  summary: 'What the pull requests of a base come to together was checked ahead, and is green.',
  payload: {
    branch: z.string(),
    /** Tip of the base that they were merged onto. */
    onto: z.string(),
    /** The last commit of the chain, which was checked. */
    sha: z.string(),
    pulls: z.array(other),
  },
  minor: true,
  line: ['✓', 'good', (p) => words`${numbers(p.pulls)} are green together on ${p.branch}`],
})
