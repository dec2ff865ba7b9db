import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const treeMoved = defineEvent({
  type: 'tree.moved',
  summary:
    'The tree grows from another branch from now on; agents of the one before stay as they are.',
  payload: {
    from: z.string(),
    to: z.string(),
    worktree: z.string(),
    /** The root’s program runs, and has to know. */
    program: z.boolean(),
  },
  // A person did it, who need not be notified.
  tells: ({ program }) => (program ? { owner: 'carry' } : {}),
  line: ['◆', 'active', (p) => words`grows from ${p.to}, no longer from ${p.from}`],
})
