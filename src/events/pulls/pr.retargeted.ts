import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prRetargeted = defineEvent({
  type: 'pr.retargeted',
  summary: 'A pull request’s base was changed.',
  payload: { ...pull, old_base: z.string() },
  tells: { owner: 'carry', parent: 'carry' },
  line: ['→', 'dim', (p) => words`#${p.number} now goes to ${p.base}`],
})
