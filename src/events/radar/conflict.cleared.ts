import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const conflictCleared = defineEvent({
  type: 'conflict.cleared',
  summary: 'What was foretold to conflict no longer does.',
  payload: {
    name: z.string(),
    other: z.string(),
    pair: z.string(),
    partner_id: z.string().nullable(),
    files: z.array(z.string()),
    why: z.string(),
    /** Who was told of the conflict. */
    owner_told: z.boolean(),
    partner_told: z.boolean(),
    parent_told: z.boolean(),
  },
  tells: ({ owner_told: owner, partner_told: partner, parent_told: parent }) => ({
    ...(owner && { owner: 'carry' }),
    ...(partner && { partner: 'carry' }),
    ...(parent && { parent: 'carry' }),
  }),
  line: ['✓', 'good', (p) => words`${p.name} and ${p.other} no longer conflict: ${p.why}`],
})
