import { z } from 'zod'
import { defineTool } from '../define.ts'

const place = { agent: z.string(), branch: z.string(), worktree: z.string() }

export const clean = defineTool({
  name: 'clean',
  description:
    'Takes away worktrees and branches of ended agents, and of stopped ones that are done, that are proven merged, and says what it keeps and why.',
  audience: ['human'],
  effect: 'ends',
  listed: false,
  input: z.object({
    dry_run: z.boolean().default(false).describe('List what would be removed, remove nothing'),
    kill: z
      .boolean()
      .default(false)
      .describe('Also agents whose program still runs, where their work is merged: it is ended'),
  }),
  output: z.object({
    removed: z.array(z.object(place)),
    kept: z.array(z.object({ ...place, reason: z.string() })),
  }),
  command: {
    name: 'clean',
    summary: 'Remove worktrees and branches that are proven merged',
    fields: { dry_run: '-n, --dry-run', kill: '--kill' },
    examples: ['exomonad clean', 'exomonad clean --dry-run'],
  },
  handler: ({ core }, input) => core.maintenance.clean({ dryRun: input.dry_run, kill: input.kill }),
})
