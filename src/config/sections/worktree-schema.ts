import { z } from 'zod'
import { isPlaceWithin } from '../../domain/formats/place-within.ts'
import { argv, seconds } from './schema-fields.ts'

/** Of `.exomonad/config.toml` what a new worktree is given: `[worktree]`. */

/** Relative to the worktree, and never git’s own. */
export const placeWithin = z
  .string()
  .refine(isPlaceWithin, { error: 'must be a path inside the worktree' })

const includeEntry = z
  .strictObject({
    path: z.string().describe('A glob of ignored files and folders.'),
    method: z
      .enum(['copy', 'reflink', 'hardlink', 'symlink'])
      .default('copy')
      .describe(
        'copy: copy-on-write where the file system can. reflink: copy-on-write or not at all. hardlink: the same files, for what nothing writes into in place. symlink: a link to it.',
      ),
  })
  .meta({ id: 'IncludeConfig' })

const keyedSetup = z
  .strictObject({
    run: argv.describe('The command, run in a new worktree before its agent starts.'),
    key: z
      .array(placeWithin)
      .default([])
      .describe(
        'Files that its outputs depend on, such as "package-lock.json", or globs of tracked files. With a key it runs once for all worktrees in which these have the same content.',
      ),
    outputs: z
      .array(placeWithin)
      .default([])
      .describe(
        'What it makes, such as "node_modules", or globs of ignored folders: kept by the key, and brought to the next worktree.',
      ),
    method: z
      .enum(['copy', 'hardlink'])
      .default('copy')
      .describe(
        'How outputs come from what is kept. copy: copy-on-write where the file system can. hardlink: the same files, at once and without room; only where nothing ever writes into them in place.',
      ),
  })
  .refine(({ key, outputs }) => (key.length === 0) === (outputs.length === 0), {
    error: 'key and outputs go together',
  })
  .meta({ id: 'SetupConfig' })

export const worktreeSchema = z
  .strictObject({
    root: z
      .enum(['inside', 'sibling'])
      .default('inside')
      .describe(
        'Where new worktrees lie. inside: in .exomonad/worktrees. sibling: in a folder beside the repository, NAME.worktrees, where tools that walk all below the repository do not find them.',
      ),
    include: z
      .array(z.union([z.string(), includeEntry]))
      .default([])
      .describe(
        'Globs of ignored files and folders (and links) that new worktrees get, such as ".env" or "node_modules"; those that .worktreeinclude names come as well.',
      ),
    setup: z
      .array(z.union([argv, keyedSetup]))
      .default([])
      .describe(
        'Commands run in a new worktree before its agent starts (see EXOMONAD_*); a failure undoes the spawn. [[worktree.setup]] with `key` and `outputs` runs once for each key.',
      ),
    sparse: z
      .array(placeWithin)
      .default([])
      .describe(
        'Folders that a new worktree has, with the files beside and above them, in place of all (`git sparse-checkout`, cone mode); `sparse` of a role or a spawn goes before. Such worktrees are not taken from the pool.',
      ),
    pool: z
      .number()
      .int()
      .min(0)
      .max(50)
      .default(0)
      .describe(
        'So many worktrees are kept checked out, of which a spawn takes one by a rename: for large repositories. Each takes the room of a checkout. Number.',
      ),
    setup_timeout: seconds(600, 'For each setup command.'),
    teardown: z
      .array(argv)
      .default([])
      .describe(
        'Commands run in a worktree before it is removed, by `clean`, `deinit` or an undone spawn, with the variables of set-up commands. A failure is said, and holds nothing up.',
      ),
    teardown_timeout: seconds(60, 'For each teardown command.'),
    setup_cache_mb: z
      .number()
      .min(0)
      .default(10_000)
      .describe(
        'What outputs of setup commands are kept; those that were not used for longest go first. Megabytes.',
      ),
    setup_cache_entries: z.number().int().min(0).default(20).describe('How many of them are kept.'),
  })
  .prefault({})

export type SetupStep = z.output<typeof keyedSetup>
