import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { failedJob, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prUnscheduled = defineEvent({
  type: 'pr.unscheduled',
  summary:
    'A pull request that the forge was to merge by itself was not merged, and is not any more.',
  payload: {
    ...pull,
    sha: z.string(),
    kind: z.enum(['queue', 'auto']),
    /** Part of a sentence; null where the forge does not say. */
    reason: z.string().nullable(),
    /** What failed of its checks in the queue. */
    jobs: z.array(failedJob),
  },
  tells: { owner: 'wake', parent: 'wake' },
  line: [
    '■',
    'attention',
    (p) =>
      words`#${p.number} ${p.kind === 'queue' ? 'left the merge queue' : 'is not set to auto-merge any more'}: ${p.reason ?? 'the forge does not say why'}`,
  ],
})
