import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const agentSpawned = defineEvent({
  type: 'agent.spawned',
  summary: 'An agent was made: branch, worktree, pane.',
  payload: {
    name: z.string(),
    kind: z.string(),
    role: z.string(),
    branch: z.string(),
    worktree: z.string(),
    adopted: z.boolean(),
  },
  line: ['+', 'active', (p) => words`spawned as ${p.kind} on ${p.branch}`],
})
