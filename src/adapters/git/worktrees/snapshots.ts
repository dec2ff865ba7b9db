import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSha, type Sha } from '../../../domain/ids.ts'
import { SNAPSHOT_INDEX } from '../../../runtime/paths.ts'
import { openPlain } from '../../../processes/plain-file.ts'
import type { Git } from '../git.ts'
import { createCoalescer } from '../mutex.ts'
import type { Run } from '../run.ts'
import { gitDirOf, parseStatus } from './worktree-state.ts'

/**
 * Of a file that git can’t take in (unreadable, a repository without a commit) the rest is taken
 * all the same.
 */
export const SOME_MISSING = 1

/** As `git add` goes into submodules: a commit that is checked out there counts, no more. */
const LOOK = [
  ...['status', '--porcelain=v2', '--branch', '--no-renames', '--no-ahead-behind'],
  ...['--untracked-files=normal', '--ignore-submodules=dirty', '-z'],
]

/** Whole worktrees as trees, with all that is uncommitted and not ignored. */
export function createSnapshots({ run }: { run: Run }): Pick<Git, 'snapshotTree' | 'changedPaths'> {
  const coalesce = createCoalescer()
  /** Of each worktree the last one: whoever joined a run reads it there. */
  const taken = new Map<string, Sha>()

  const take = async (worktree: string): Promise<void> => {
    const gitDir = await gitDirOf(worktree)
    const index = join(gitDir, SNAPSHOT_INDEX)
    // What changed nothing is its commit: most agents that end, and one git in place of two that
    // write.
    const looked = await run.attempt(LOOK, { worktree, reads: true })
    const { head, dirty } = parseStatus(looked.stdout)
    if (looked.exitCode === 0 && head !== null && dirty.length === 0) {
      taken.set(worktree, head)
      return
    }
    // A git that was killed half-way leaves its lock.
    const clear = () =>
      Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })))
    const options = {
      worktree,
      env: { GIT_INDEX_FILE: index },
      settings: ['core.splitIndex=false', 'advice.addEmbeddedRepo=false'],
    }
    await clear()
    try {
      // What the real index knows of unchanged files need not be read again. A repository without a
      // commit has none.
      await copyIndex(join(gitDir, 'index'), index).catch(() => rm(index, { force: true }))
      const added = await run.attempt(['add', '--all', '--ignore-errors', '--', ':/'], options)
      if (added.exitCode !== 0 && added.exitCode !== SOME_MISSING)
        throw run.failure(`look at ${worktree}`, added, options)
      taken.set(
        worktree,
        parseSha(await run.output(`look at ${worktree}`, ['write-tree'], options)),
      )
    } finally {
      await clear()
    }
  }

  return {
    snapshotTree: async (worktree) => {
      await coalesce(worktree, () => take(worktree))
      const tree = taken.get(worktree)
      if (tree === undefined) throw new Error('a snapshot answered no tree')
      return tree
    },
    changedPaths: async (from, to) => {
      if (from === to) return []
      const args = [
        'diff-tree',
        '-r',
        '--name-only',
        '--no-renames',
        '-z',
        '--end-of-options',
        from,
        to,
        '--',
      ]
      const names = await run.output('compare two trees', args, { reads: true })
      return names
        .split('\0')
        .filter((name) => name !== '')
        .toSorted()
    },
  }
}

/**
 * Of the same age: by it git determines which files may have changed since without looking any
 * different.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  // An agent writes there: neither of the two may be a link to something else.
  const file = await openPlain(from)
  if (file === null) throw new Error(`${from} is no file`)
  try {
    const found = await file.stat()
    await writeFile(to, await file.readFile(), { flag: 'wx', mode: 0o600 })
    await utimes(to, found.atimeMs / 1000, Math.floor(found.mtimeMs / 1000))
  } finally {
    await file.close()
  }
}
