import { mkdir, readdir, readFile, realpath, rm, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import { createLimit } from '../mutex.ts'
import type { Run } from '../run.ts'

/** What git itself writes into `locked` while it makes a worktree. */
export const BEING_MADE = 'initializing'

/** Checkouts at the same time: one alone leaves processors idle while it waits for the disk. */
const AT_ONCE = 2
/** Names whose record git calls the same. */
const PLAIN_NAME = /^(?!.*\.lock$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i
/**
 * What gives a worktree’s record another form, or more in it; what a configuration includes may say
 * any of these.
 */
const OTHERWISE = /worktreeconfig|refstorage|userelativepaths|sparsecheckout|\[\s*include/i

/** Whether the records of worktrees are files as git writes them by default. */
export async function isOrdinary(commonDir: string): Promise<boolean> {
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => null)
  return config !== null && !OTHERWISE.test(config)
}

/** A worktree on a new branch. False, and nothing was done, where it is git’s to make or to refuse. */
export type MakeWorktree = (wanted: {
  path: string
  branch: BranchName
  at: Sha
  checkOut: () => Promise<void>
}) => Promise<boolean>

/**
 * `git worktree add -b` as it writes things down, in the order of git’s own steps, by two processes
 * in place of four, several of which may run at the same time. Cut off anywhere, what stands is what
 * a git leaves that was killed: a record that is locked as being made.
 */
export function createMakeWorktree({
  run,
  commonDir,
}: {
  run: Run
  commonDir: string
}): MakeWorktree {
  const records = join(commonDir, 'worktrees')
  const limit = createLimit(AT_ONCE)

  /** Also where its folder is gone: git has to forget that first. */
  const isRecorded = async (pointer: string): Promise<boolean> => {
    const names = await readdir(records).catch(() => [])
    const named = await Promise.all(
      names.map((name) => readFile(join(records, name, 'gitdir'), 'utf8').catch(() => '')),
    )
    return named.some((text) => text.trim() === pointer)
  }
  /** git reads `gitdir` first: a record without it is none yet. */
  const write = async (record: string, path: string, branch: BranchName): Promise<void> => {
    await writeFile(join(record, 'HEAD'), `ref: refs/heads/${branch}\n`)
    await writeFile(join(record, 'commondir'), '../..\n')
    await writeFile(join(path, '.git'), `gitdir: ${record}\n`, { flag: 'wx' })
    await writeFile(join(record, 'gitdir'), `${join(path, '.git')}\n`)
  }

  return async ({ path: wanted, branch, at, checkOut }) => {
    const name = basename(wanted)
    if (!PLAIN_NAME.test(name) || !(await isOrdinary(commonDir))) return false
    const path = join(await realpath(dirname(wanted)), name)
    const record = join(await realpath(commonDir), 'worktrees', name)
    if (await isRecorded(join(path, '.git'))) return false

    const undo: (() => Promise<unknown>)[] = []
    const takeBack = async (): Promise<void> => {
      for (const step of undo.toReversed()) await step()
    }
    try {
      await mkdir(records, { recursive: true })
      // Neither is anybody’s: both fail where something is there.
      await mkdir(record)
      undo.push(() => rm(record, { recursive: true, force: true }))
      await writeFile(join(record, 'locked'), BEING_MADE)
      await mkdir(path)
      undo.push(() => rm(path, { recursive: true, force: true }))
      const ref = `refs/heads/${branch}`
      const note = `branch: Created from ${at}`
      // Fails where there is one.
      const made = await run.attempt(['update-ref', '--create-reflog', '-m', note, ref, at, ''])
      if (made.exitCode !== 0) throw new Error(made.stderr)
      undo.push(() => run.attempt(['update-ref', '--no-deref', '-d', ref, at]))
      await write(record, path, branch)
    } catch {
      await takeBack()
      return false
    }
    try {
      await limit(checkOut)
      await unlink(join(record, 'locked'))
      return true
    } catch (thrown) {
      await takeBack()
      throw thrown
    }
  }
}
