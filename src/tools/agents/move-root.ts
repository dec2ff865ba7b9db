import { z } from 'zod'
import { defineTool } from '../define.ts'

export const moveRoot = defineTool({
  name: 'move_root',
  description:
    'Has the tree grow from the branch that is checked out in the root’s worktree. Agents there are stay, with their branches and bases, and are answered and merged as before.',
  audience: ['human'],
  listed: false,
  input: z.object({}),
  output: z.object({
    from: z.string(),
    to: z.string(),
    worktree: z.string().describe('Absolute path'),
    moved: z.boolean().describe('False where the tree grows from there already'),
    warnings: z.array(z.string()),
  }),
  command: {
    name: 'root move',
    summary:
      'Have the tree grow from the branch that is checked out in the root’s worktree; the agents there are stay as they are',
    examples: ['git switch -c next && exomonad root move'],
  },
  handler: ({ core }) => core.maintenance.moveRoot(),
})
