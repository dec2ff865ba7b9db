import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prOpened = defineEvent({
  type: 'pr.opened',
  summary: 'A pull request was filed.',
  payload: { ...pull, draft: z.boolean() },
  tells: { parent: 'carry' },
  standing: true,
  line: ['↑', 'link', (p) => words`filed #${p.number} ${p.title} against ${p.base}`],
})
