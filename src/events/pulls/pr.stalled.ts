import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prStalled = defineEvent({
  type: 'pr.stalled',
  summary: 'A pull request makes no progress.',
  payload: { ...pull, reason: z.string() },
  tells: { parent: 'wake' },
  line: ['?', 'attention', (p) => words`#${p.number} makes no progress: ${p.reason}`],
})
