import { randomBytes } from 'node:crypto'
import { lstat, mkdir, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import { readPlain } from '../../../processes/plain-file.ts'
import { wordsOf } from '../failure.ts'
import type { Run } from '../run.ts'
import { ownRepositoryIn, requireSharedSubmodules, submodulesOf } from './submodules.ts'
import type { WorktreeStatus } from './worktree-verbs.ts'

/** Commits whose submodules are remembered: agents end on few different ones. */
const REMEMBERED = 200
/** Of the small files that name each other. */
const LONGEST = 8192

export interface PutAway {
  /**
   * Moves a worktree’s files into `trash`, in one step however many they are, and git’s record of it
   * after them; who owns that deletes them. False, and nothing was done, where git itself is to
   * judge: it is locked, dirty, broken or gone, holds a repository of its own, or `trash` is on
   * another disk. GIT_FAILED where a submodule has commits that are nowhere else.
   */
  readonly putAway: (wanted: {
    target: string
    trash: string
    force: boolean
    looked?: WorktreeStatus | undefined
  }) => Promise<boolean>
  /**
   * Throws GIT_FAILED where it would not be removed without force: before something is done that
   * can’t be taken back. A folder that is gone is no obstacle.
   */
  readonly requireRemovable: (target: string) => Promise<void>
}

export function createPutAway({ run, commonDir }: { run: Run; commonDir: string }): PutAway {
  const known = new Map<Sha, Promise<string[]>>()
  const submodulesAt = (commit: Sha): Promise<string[]> => {
    const before = known.get(commit)
    if (before !== undefined) return before
    if (known.size >= REMEMBERED) known.clear()
    const asked = submodulesOf(run, commit)
    asked.catch(() => known.delete(commit))
    known.set(commit, asked)
    return asked
  }

  /** As git looks before it removes one; null where nothing is in the way. */
  const obstacleOf = async (target: string, looked?: WorktreeStatus): Promise<string | null> => {
    if (looked === undefined) {
      const args = ['status', '--porcelain', '--ignore-submodules=none']
      const status = await run.attempt(args, { worktree: target })
      if (status.exitCode !== 0) return wordsOf(status)
      if (status.stdout !== '') return 'it has uncommitted files'
    } else if (looked.dirty.length > 0) return 'it has uncommitted files'
    // Where nothing is uncommitted, its index has the submodules of its commit.
    const head = looked?.head ?? null
    const own = await ownRepositoryIn(run, target, ...(head ? [await submodulesAt(head)] : []))
    return own === null ? null : `${own} in it is a repository of its own`
  }

  /**
   * git’s record of it, where the two name each other: an agent writes the file that names the
   * record, and what that names is moved away.
   */
  const recordOf = async (target: string): Promise<string | undefined> => {
    const pointer = join(target, '.git')
    const named = /^gitdir: (.+?)\r?\n?$/s.exec(await textOf(pointer))?.[1]
    if (named === undefined) return undefined
    const record = await real(resolve(target, named))
    if (record === undefined || dirname(record) !== (await real(join(commonDir, 'worktrees'))))
      return undefined
    const back = await real(resolve(record, (await textOf(join(record, 'gitdir'))).trim()))
    return back !== undefined && back === (await real(pointer)) ? record : undefined
  }

  return {
    putAway: async ({ target, trash, force, looked }) => {
      const record = await recordOf(target)
      if (record === undefined || (await isThere(join(record, 'locked')))) return false
      // Whoever looked before did so a while ago: a file that was saved since would be gone.
      if (!force && (await obstacleOf(target, looked)) !== null) return false
      if (!force) await requireSharedSubmodules(run, record)
      const away = join(trash, `${basename(target)}-${randomBytes(4).toString('hex')}`)
      try {
        await mkdir(trash, { recursive: true, mode: 0o700 })
        await rename(target, away)
      } catch {
        return false
      }
      // Cut off between the two, git’s record is one without a folder, which the next try and
      // `git worktree prune` take away.
      try {
        await rename(record, `${away}-record`)
        return true
      } catch {
        await rename(away, target)
        return false
      }
    },

    requireRemovable: async (target) => {
      if (!(await isThere(target))) return
      const record = await recordOf(target)
      const found =
        record === undefined
          ? 'it is not a worktree of this repository'
          : (await isThere(join(record, 'locked')))
            ? 'it is locked'
            : await obstacleOf(target)
      if (found !== null)
        throw new ExomonadError('GIT_FAILED', `could not remove the worktree ${target}: ${found}`, {
          worktree: target,
        })
      if (record !== undefined) await requireSharedSubmodules(run, record)
    },
  }
}

const textOf = async (path: string): Promise<string> =>
  (await readPlain(path, LONGEST))?.toString('utf8') ?? ''

const real = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
