import { z } from 'zod'
import { githubSchema } from './github-schema.ts'
import { argv, seconds } from './schema-fields.ts'

/** `[forge]` in `.exomonad/config.toml`, and how often pull requests are looked at. */

/** `[forge.gitea]`. */
const giteaSchema = z
  .strictObject({
    url: z
      .url()
      .optional()
      .describe(
        'Address of the Gitea or Forgejo server. Required with kind = "gitea". Read when the daemon starts.',
      ),
    remote: z
      .string()
      .optional()
      .describe('The git remote. Default: origin, else the only one. Read when the daemon starts.'),
    repository: z
      .string()
      .regex(/^[^/\s]+\/[^/\s]+$/, 'OWNER/NAME')
      .optional()
      .describe('OWNER/NAME, where the remote’s URL doesn’t say.'),
    token_file: z
      .string()
      .optional()
      .describe('A file with the token alone. Default: GITEA_TOKEN, then FORGEJO_TOKEN.'),
    delete_branch: z
      .boolean()
      .default(false)
      .describe('Delete the head branch there after a merge, once nothing is based on it.'),
  })
  .prefault({})

export const forgeSchema = z
  .strictObject({
    kind: z
      .enum(['local', 'github', 'gitea'])
      .default('local')
      .describe(
        'Where pull requests live. `exomonad init` sets it to github where it finds a GitHub remote and a token. Read when the daemon starts.',
      ),
    local: z
      .strictObject({
        remote: z
          .string()
          .optional()
          .describe('A git remote for the branches. Default: a bare repository of exomonad’s own.'),
        ci: argv
          .optional()
          .describe(
            'The command that checks a pull request merged with its base, run in a throwaway worktree. Without it nothing is checked.',
          ),
        ci_timeout: seconds(1800, 'After this the run is ended and counts as failed.'),
        ci_parallel: z.number().int().min(1).default(2).describe('Runs at the same time.'),
      })
      .prefault({}),
    github: githubSchema,
    gitea: giteaSchema,
    poll_active: seconds(30, 'Between looks at pull requests with checks or reviews pending.'),
    poll_idle: seconds(300, 'Between looks at all others.'),
    review_timeout: seconds(900, 'No review after this: the parent is notified.'),
    review_timeout_after_fixes: seconds(300, 'The same, after fixes were pushed.'),
    stalled_rounds: z
      .number()
      .int()
      .min(1)
      .default(5)
      .describe('Rounds of review or checks without green before the parent is notified.'),
    stalled_after: seconds(
      1800,
      'No progress on a pull request for this long: the parent is notified.',
    ),
  })
  .prefault({})

/** `[fold]` in `.exomonad/config.toml`. */
export const foldSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'The pull requests of a base are merged in objects and checked together before anybody merges them. Off: each is checked by itself, and what a merge comes to once it is asked for (merge.check_result).',
      ),
    check: argv
      .optional()
      .describe(
        'The command that checks what merges come to. Default: forge.local.ci, whose results then count for both. On GitHub and Gitea nothing is folded without it.',
      ),
    parallel: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Runs of it at the same time. Default: forge.local.ci_parallel.'),
    every_link: z
      .boolean()
      .default(false)
      .describe(
        'Each commit that lands is checked by itself, not only the last of those that land together.',
      ),
    continuous: z
      .boolean()
      .default(false)
      .describe(
        'When nothing else is to be checked, commits that are not filed yet are folded in as well: who is red together is known while both still work.',
      ),
    land: z
      .enum(['parent', 'auto', 'forge'])
      .default('parent')
      .describe(
        'parent: merge_pr lands. auto: what the parent approved (pr_review) lands by itself once the fold is green. forge: as parent, and on GitHub merges are GitHub’s in any case; else a base that nothing protects is moved to the commit that was checked, with merge commits.',
      ),
  })
  .prefault({})
