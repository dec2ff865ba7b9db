import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prScheduled = defineEvent({
  type: 'pr.scheduled',
  summary:
    'The forge merges a pull request by itself from now on: in its turn in a merge queue, or once nothing stands against it.',
  payload: {
    ...pull,
    sha: z.string(),
    kind: z.enum(['queue', 'auto']),
    /** Who asked for it, as the forge knows them. */
    by: z.string(),
  },
  line: [
    '●',
    'attention',
    (p) =>
      words`#${p.number} ${p.kind === 'queue' ? words`is in the merge queue of ${p.base}` : 'is set to auto-merge'}`,
  ],
})
