import { z } from 'zod'
import { defineTool } from '../define.ts'
import { PULL } from '../shapes.ts'

export const mergePr = defineTool({
  name: 'merge_pr',
  description:
    'Merge a child’s pull request into your branch and bring it into your worktree. Call it when you were notified that it is ready and you have looked at it (pr_diff); red checks, open change requests and conflicts are refused with the reasons, for the child to fix. Where your branch has moved since the checks passed it returns `landing`: the result is checked and lands by itself, so go on or end your turn, and you are notified. `queued` (a merge queue on GitHub) and `auto_merge` are the same: GitHub merges it by itself.',
  audience: ['tl', 'human'],
  listed: true,
  input: z.object({
    pr_number: z.number().int().positive(),
    strategy: z
      .enum(['squash', 'merge', 'rebase'])
      .optional()
      .describe(
        'Default: squash for workers, merge for subtrees; on GitHub merge where the fold lands',
      ),
    head_sha: z
      .string()
      .optional()
      .describe('The head that you looked at, from pr_diff; refused where there are newer commits'),
    wait: z
      .boolean()
      .default(false)
      .describe(
        'Wait until it is merged, where it lands or GitHub merges it by itself; an error where nothing comes of that',
      ),
    when_ready: z
      .boolean()
      .default(false)
      .describe(
        'Where checks still run or a review is missing, have GitHub merge it as soon as nothing stands against it (auto-merge)',
      ),
    force: z
      .boolean()
      .default(false)
      .describe(
        'Override checks and reviews, never conflicts; for the human unless the configuration lets agents',
      ),
  }),
  output: z.object({
    merged: z.boolean(),
    state: z
      .enum(['merged', 'landing', 'queued', 'auto_merge'])
      .describe(
        'landing: its result is being checked; it lands by itself when that is green. queued, auto_merge: GitHub merges it by itself',
      ),
    sha: z.string().nullable().describe('The merge; null until it is merged'),
    position: z.number().int().optional().describe('In the merge queue, from 1'),
    local_synced: z.boolean().describe('Your worktree has the merge'),
    pull_error: z.string().optional(),
    rebased_from: z
      .string()
      .optional()
      .describe('The head that you looked at, rebased by exomonad since; its changes are the same'),
    retargeted: z.array(z.number().int()),
    siblings_behind: z.array(z.string()),
    next: z.string(),
  }),
  command: {
    name: 'pr merge',
    summary: 'Merge a child’s pull request and bring it into the parent’s worktree',
    fields: {
      pr_number: PULL,
      strategy: '-s, --strategy <how>',
      wait: '--wait',
      when_ready: '--when-ready',
      force: '--force',
    },
    examples: ['exomonad pr merge auth', 'exomonad pr merge 3 --strategy rebase --wait'],
  },
  handler: ({ core, caller, signal, progress }, input) =>
    core.pulls.merge(
      caller,
      {
        number: input.pr_number,
        strategy: input.strategy,
        force: input.force,
        head: input.head_sha,
        wait: input.wait,
        whenReady: input.when_ready,
      },
      { signal, progress },
    ),
})
