import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prConflictCleared = defineEvent({
  type: 'pr.conflict_cleared',
  summary: 'A pull request no longer conflicts.',
  payload: pull,
  line: ['✓', 'good', (p) => words`#${p.number} no longer conflicts`],
})
