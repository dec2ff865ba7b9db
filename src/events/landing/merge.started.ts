import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const mergeStarted = defineEvent({
  type: 'merge.started',
  summary: 'A merge was decided on; written before it is made.',
  payload: {
    ...pull,
    strategy: z.string(),
    /** Id of its journal entry, which says what came of it; missing in events of before. */
    journal: z.string().optional(),
  },
  line: ['⇐', 'dim', (p) => words`merging #${p.number} ${p.title} (${p.strategy})`],
})
