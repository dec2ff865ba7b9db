import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readFile, rename } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import { wordsOf } from '../failure.ts'
import type { Run } from '../run.ts'
import { ownRepositoryIn, requireSharedSubmodules } from './submodules.ts'

/**
 * Moves a worktree’s files into `trash`, in one step however many they are; who owns that deletes
 * them. Returns how to bring them back. Null, and nothing was done, where git itself is to judge:
 * it is locked, dirty, broken or gone, holds a repository of its own, or `trash` is on another disk.
 * GIT_FAILED where a submodule has commits that are nowhere else.
 */
export async function putAway({
  run,
  target,
  trash,
  force,
}: {
  run: Run
  target: string
  trash: string
  force: boolean
}): Promise<(() => Promise<void>) | null> {
  const record = await recordOf(target)
  if (record === undefined || !(await isThere(record))) return null
  if (await isThere(join(record, 'locked'))) return null
  // Whoever looked before did so a while ago: a file that was saved since would be gone.
  if (!force && (await obstacleOf(run, target)) !== null) return null
  if (!force) await requireSharedSubmodules(run, record)
  const away = join(trash, `${basename(target)}-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(trash, { recursive: true, mode: 0o700 })
    await rename(target, away)
  } catch {
    return null
  }
  return () => rename(away, target)
}

/**
 * Throws GIT_FAILED where it would not be removed without force: before something is done that can’t
 * be taken back. A folder that is gone is no obstacle.
 */
export async function requireRemovable(run: Run, target: string): Promise<void> {
  if (!(await isThere(target))) return
  const record = await recordOf(target)
  const found =
    record === undefined || !(await isThere(record))
      ? 'it is not a worktree of this repository'
      : (await isThere(join(record, 'locked')))
        ? 'it is locked'
        : await obstacleOf(run, target)
  if (found !== null)
    throw new ExomonadError('GIT_FAILED', `could not remove the worktree ${target}: ${found}`, {
      worktree: target,
    })
  if (record !== undefined) await requireSharedSubmodules(run, record)
}

/** As git looks before it removes one; null where nothing is in the way. */
async function obstacleOf(run: Run, target: string): Promise<string | null> {
  const args = ['status', '--porcelain', '--ignore-submodules=none']
  const status = await run.attempt(args, { worktree: target })
  if (status.exitCode !== 0) return wordsOf(status)
  if (status.stdout !== '') return 'it has uncommitted files'
  const own = await ownRepositoryIn(run, target)
  return own === null ? null : `${own} in it is a repository of its own`
}

async function recordOf(target: string): Promise<string | undefined> {
  const mark = await readFile(join(target, '.git'), 'utf8').catch(() => '')
  const record = /^gitdir: (.+?)\r?\n?$/s.exec(mark)?.[1]
  return record === undefined ? undefined : resolve(target, record)
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
