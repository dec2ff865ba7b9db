import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const treeInitialized = defineEvent({
  type: 'tree.initialized',
  summary: 'exomonad was set up and the root registered.',
  payload: {
    branch: z.string(),
    worktree: z.string(),
  },
  line: ['◆', 'active', (p) => words`set up on ${p.branch}`],
})
