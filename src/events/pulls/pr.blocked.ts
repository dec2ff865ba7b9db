import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prBlocked = defineEvent({
  type: 'pr.blocked',
  summary: 'All is well with a pull request, and the forge does not merge it yet.',
  payload: {
    ...pull,
    sha: z.string(),
    /** What is missing, and from whom. */
    needs: z.array(z.string()),
    /** It has to be brought up to date with its base. */
    behind: z.boolean(),
    /** Something that only a person on the forge can give. */
    person: z.boolean(),
  },
  // One that is only behind is brought up to date without anybody.
  tells: ({ person, behind, needs }) =>
    person
      ? { parent: 'wake', human: 'wake' }
      : behind && needs.length === 1
        ? {}
        : { parent: 'wake' },
  standing: true,
  line: ['!', 'attention', (p) => words`#${p.number} can’t be merged yet: it needs ${p.needs}`],
})
