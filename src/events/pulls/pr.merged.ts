import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prMerged = defineEvent({
  type: 'pr.merged',
  summary: 'A pull request was merged.',
  payload: {
    ...pull,
    sha: z.string().nullable(),
    by: z.string(),
    external: z.boolean(),
    remote: z.string().optional(),
    /**
     * Of one that was made elsewhere: why the base here does not have it; null where it has, and of
     * all others. Both are missing in events of before.
     */
    local_error: z.string().nullable().optional(),
    /**
     * The forge made it by itself, a while after it was asked to here. Missing in events of before.
     */
    scheduled: z.boolean().optional(),
    /**
     * Of one that was made elsewhere: those here whose own merges of it came to nothing. Missing in
     * events of before.
     */
    tried_by: z.array(z.string()).optional(),
  },
  // Where the base here lacks it, its owner has to see to that, and nobody is behind yet.
  tells: ({ local_error: lacking }) =>
    typeof lacking === 'string'
      ? { owner: 'carry', parent: 'wake' }
      : { owner: 'carry', parent: 'carry', siblings: 'carry' },
  stays: true,
  standing: true,
  line: ['⇐', 'special', (p) => words`merged #${p.number} ${p.title} into ${p.base}`],
})
