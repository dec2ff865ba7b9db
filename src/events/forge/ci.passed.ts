import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const ciPassed = defineEvent({
  type: 'ci.passed',
  summary: 'All required checks passed.',
  payload: { ...pull, sha: z.string() },
  line: ['✓', 'good', (p) => words`checks of #${p.number} passed`],
})
