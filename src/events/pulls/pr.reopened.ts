import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prReopened = defineEvent({
  type: 'pr.reopened',
  summary: 'A pull request was opened again.',
  payload: pull,
  tells: { owner: 'carry', parent: 'carry' },
  standing: true,
  line: ['↑', 'link', (p) => words`reopened #${p.number} ${p.title}`],
})
