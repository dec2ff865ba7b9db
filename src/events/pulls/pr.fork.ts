import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prFork = defineEvent({
  type: 'pr.fork',
  summary:
    'A pull request from a fork has a head branch that is called as an agent’s is; it is nobody’s here.',
  payload: pull,
  // No agent is notified of what a stranger called like its branch.
  tells: { human: 'wake' },
  line: [
    '!',
    'attention',
    (p) => words`#${p.number} comes from a fork, with a branch that is called ${p.head} as well`,
  ],
})
