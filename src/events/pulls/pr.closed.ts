import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prClosed = defineEvent({
  type: 'pr.closed',
  summary: 'A pull request was closed without a merge.',
  payload: pull,
  tells: { owner: 'wake', parent: 'carry' },
  standing: true,
  line: ['✗', 'dim', (p) => words`closed #${p.number} ${p.title}`],
})
