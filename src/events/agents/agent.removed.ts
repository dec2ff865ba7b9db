import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentRemoved = defineEvent({
  type: 'agent.removed',
  summary: 'The worktree and branch of an agent were taken away, proven merged.',
  payload: {
    name: z.string(),
    branch: z.string(),
    worktree: z.string(),
  },
  line: ['−', 'dim', (p) => words`branch ${p.branch} and worktree removed, proven merged`],
})
