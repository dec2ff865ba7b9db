import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const conflictForetold = defineEvent({
  type: 'conflict.foretold',
  summary: 'The work of two agents, or of one and its base, would conflict as it is now.',
  payload: {
    name: z.string(),
    /** The other agent, or the branch. */
    other: z.string(),
    /** The same for all news of the two. */
    pair: z.string(),
    /** Null where the other is a branch. */
    partner_id: z.string().nullable(),
    files: z.array(
      z.strictObject({
        path: z.string(),
        /** Where it touches it, in words: `lines 3-5, 9`, `deletes it`. */
        own: z.string(),
        other: z.string(),
        /** Who touched it first, as far as that was seen. */
        first: z.string().nullable(),
      }),
    ),
    /** Files that are not listed. */
    more: z.number().int(),
    /** It was told of fewer files before. */
    again: z.boolean(),
  },
  tells: { owner: 'carry', partner: 'carry', parent: 'carry' },
  line: [
    '⚠',
    'attention',
    (p) =>
      words`${p.name} and ${p.other} would conflict in ${p.files?.map(({ path }) => path).join(', ')}`,
  ],
})
