import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prConflict = defineEvent({
  type: 'pr.conflict',
  summary: 'A pull request conflicts with its base.',
  payload: {
    ...pull,
    files: z.array(z.string()),
  },
  tells: { owner: 'wake', parent: 'carry' },
  line: ['✗', 'bad', (p) => words`#${p.number} conflicts in ${p.files}`],
})
