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
    agents: z
      .array(z.string().min(1))
      .default([])
      .describe('Ids, branches or names: of these alone; default: of all'),
    dry_run: z.boolean().default(false).describe('List what would be removed, remove nothing'),
    kill: z
      .boolean()
      .default(false)
      .describe('Also agents whose program still runs, where their work is merged: it is ended'),
    done: z
      .boolean()
      .default(false)
      .describe('All that are done, whether their program runs or not: as with kill'),
    setup_cache: z
      .boolean()
      .default(false)
      .describe('Also what set-up commands made: the next worktree runs them again'),
  }),
  output: z.object({
    removed: z.array(z.object({ ...place, warnings: z.array(z.string()).optional() })),
    kept: z.array(z.object({ ...place, reason: z.string() })),
    setup_cache: z
      .object({ entries: z.number(), bytes: z.number() })
      .optional()
      .describe('What was dropped of what set-up commands made'),
  }),
  command: {
    name: 'clean',
    summary: 'Remove worktrees and branches that are proven merged',
    fields: {
      agents: '[agents...]',
      dry_run: '-n, --dry-run',
      kill: '--kill',
      done: '--done',
      setup_cache: '--setup-cache',
    },
    examples: ['exomonad clean', 'exomonad clean --dry-run', 'exomonad clean --done'],
  },
  handler: async ({ core }, { agents, dry_run: dryRun, kill, done, setup_cache: cache }) => ({
    ...(await core.maintenance.clean({ dryRun, kill: kill || done, addresses: agents })),
    ...(cache && !dryRun
      ? { setup_cache: await core.maintenance.pruneSetupCache({ entries: 0, bytes: 0 }) }
      : {}),
  }),
})
