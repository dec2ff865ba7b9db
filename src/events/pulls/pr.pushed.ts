import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { pull } from '../shapes.ts'
import { words } from '../words.ts'

export const prPushed = defineEvent({
  type: 'pr.pushed',
  summary: 'A pull request’s head moved.',
  payload: {
    ...pull,
    old: z.string(),
    new: z.string(),
    after_changes_requested: z.boolean(),
    /** The head before was reviewed by Copilot, which does not look again by itself. */
    copilot_reviewed: z.boolean(),
  },
  tells: ({ after_changes_requested: fixes, copilot_reviewed: copilot }) =>
    fixes || copilot ? { parent: 'wake' } : {},
  line: [
    '↑',
    'link',
    (p) => words`pushed to #${p.number}: ${p.old?.slice(0, 8)} → ${p.new?.slice(0, 8)}`,
  ],
})
