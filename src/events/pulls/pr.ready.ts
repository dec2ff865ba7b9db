import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prReady = defineEvent({
  type: 'pr.ready',
  summary:
    'A pull request can be merged: checks passed or there are none, no open change request, no conflict.',
  payload: {
    ...pull,
    sha: z.string(),
    /** Nothing has checked it. Missing in events of before. */
    unchecked: z.boolean().optional(),
  },
  tells: { parent: 'wake' },
  standing: true,
  line: ['✓', 'good', (p) => words`#${p.number} can be merged`],
})
