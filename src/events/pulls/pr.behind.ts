import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prBehind = defineEvent({
  type: 'pr.behind',
  summary: 'The forge merges a pull request only once it is up to date with its base.',
  payload: {
    ...pull,
    sha: z.string(),
  },
  tells: { owner: 'wake' },
  line: ['!', 'attention', (p) => words`#${p.number} has to be up to date with ${p.base} first`],
})
