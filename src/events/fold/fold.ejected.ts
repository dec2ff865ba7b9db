import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const foldEjected = defineEvent({
  type: 'fold.ejected',
  summary:
    'A pull request was taken out of the chain of its base, which goes on without it until it has new commits (`fold.red` says why).',
  payload: { ...pull, partner: other.nullable(), others: z.array(other) },
  line: ['■', 'dim', (p) => words`#${p.number} was taken out of the fold of ${p.base}`],
})
