import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ExomonadError } from '../../domain/errors.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'
import { pathsOf, type Paths } from '../../runtime/paths.ts'

/**
 * What a backup is: a compressed tar archive of a folder with these entries, and the copied folders
 * of the state (COPIED).
 */
export const ENTRIES = {
  manifest: 'exomonad-backup.json',
  /** A whole SQLite store. */
  store: 'store.db',
  /**
   * A git bundle: `refs/heads/*` and `refs/tags/*` of the repository, `refs/forge/*`: those of the
   * local forge, `refs/worktrees/<n>`: what is checked out in a worktree, `refs/uncommitted/<n>`: a
   * commit on top of it with all that was not committed there.
   */
  bundle: 'repository.bundle',
  /** `.exomonad/config.toml` and `.exomonad/templates/`. */
  config: 'config',
} as const

/** Of the state folder: what is kept of agents. No tokens, no caches, no logs of the daemon. */
export const COPIED = [
  'prompts',
  'transcripts',
  'outputs',
  'ciLogs',
] as const satisfies readonly (keyof Paths)[]

const manifest = z.object({
  format: z.number().int(),
  /** Version of the exomonad that made it. */
  version: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  commonDir: z.string(),
  home: z.string(),
  rootWorktree: z.string(),
  /** Of the root’s worktree; null where it was on none. */
  rootBranch: z.string().nullable(),
  /** Whether the local forge has a repository of its own. */
  forge: z.boolean(),
  worktrees: z.array(
    z.object({
      path: z.string(),
      branch: z.string().nullable(),
      /** Of its refs in the bundle. */
      number: z.number().int(),
      uncommitted: z.boolean(),
    }),
  ),
})
export type BackupManifest = z.infer<typeof manifest>

export const FORMAT = 1

/** Of an unpacked backup. Throws INVALID_ARG where it is none, or one of a newer exomonad. */
export async function readManifest(folder: string, file: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, ENTRIES.manifest), 'utf8').catch(() => '')
  const { success, data } = manifest.safeParse(parseOrNull(text))
  if (!success)
    throw new ExomonadError(
      'INVALID_ARG',
      `${file} is no backup of exomonad’s. \`exomonad backup FILE\` makes one. Nothing was touched.`,
      { file },
    )
  if (data.format !== FORMAT)
    throw new ExomonadError(
      'INVALID_ARG',
      `${file} was made by a newer exomonad (${data.version}). Restore it with that one, or a newer one. Nothing was touched.`,
      { file },
    )
  return data
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** Where a repository lies, or lay. */
export type Place = Pick<BackupManifest, 'commonDir' | 'home' | 'rootWorktree'>

/** Where what lay in the repository of the backup lies in this one; elsewhere it stays. */
export function relocated(path: string, from: Place, to: Paths, rootWorktree: string): string {
  const before = pathsOf(from.commonDir, from.home)
  if (path === from.rootWorktree) return rootWorktree
  const places = [
    [before.worktrees.sibling, to.worktrees.sibling],
    [before.commonDir, to.commonDir],
    [before.home, to.home],
  ] as const
  for (const [old, now] of places)
    if (path === old || path.startsWith(`${old}/`)) return now + path.slice(old.length)
  return path
}
