import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readFile, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Run } from '../run.ts'
import { requireSharedSubmodules } from './submodules.ts'

/**
 * Moves a worktree’s files into `trash`, in one step however many they are; who owns that deletes
 * them. Returns how to bring them back. Null, and nothing was done, where git itself is to judge:
 * it is locked, dirty, broken or gone, or `trash` is on another disk. GIT_FAILED where a submodule has
 * commits that are nowhere else.
 */
export async function putAway({
  run,
  target,
  trash,
  force,
  looked,
}: {
  run: Run
  target: string
  trash: string
  force: boolean
  /** Its status was clean a moment ago. */
  looked: boolean
}): Promise<(() => Promise<void>) | null> {
  const mark = await readFile(join(target, '.git'), 'utf8').catch(() => '')
  const record = /^gitdir: (.+?)\r?\n?$/s.exec(mark)?.[1]
  if (record === undefined || !(await isThere(record))) return null
  if (await isThere(join(record, 'locked'))) return null
  // A status that was looked at may leave out what lies in submodules.
  const isKnown = looked && !(await isThere(join(record, 'modules')))
  if (!force && !isKnown) {
    // As git looks before it removes one.
    const status = await run.attempt(['status', '--porcelain', '--ignore-submodules=none'], {
      worktree: target,
    })
    if (status.exitCode !== 0 || status.stdout !== '') return null
    await requireSharedSubmodules(run, record)
  }
  const away = join(trash, `${basename(target)}-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(trash, { recursive: true, mode: 0o700 })
    await rename(target, away)
  } catch {
    return null
  }
  return () => rename(away, target)
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
