import { mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises'
import { dirname, join, resolve as absolute } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import { isLocked } from '../failure.ts'
import type { Exec } from '../../../processes/exec.ts'
import type { Git } from '../git.ts'
import { createIgnored } from './ignored.ts'
import type { Mutex } from '../mutex.ts'
import { LOCK_WAITS, type Run } from '../run.ts'
import { createFillLargeFiles } from './lfs.ts'
import { canShareBlocks } from './clone-files.ts'
import { createPool, isPooled, NO_LARGE_FILES } from './pool.ts'
import { createSubmodules } from './submodules.ts'
import { BEING_MADE, createMakeWorktree } from './make-worktree.ts'
import { createPutAway } from './put-away.ts'
import { parseWorktreeList } from './worktree-list.ts'

type Worktrees = Pick<
  Git,
  | 'worktrees'
  | 'addWorktree'
  | 'removeWorktree'
  | 'requireRemovable'
  | 'addDetachedWorktree'
  | 'tendPool'
  | 'lookOverPool'
  | 'endPool'
  | 'canShareBlocks'
  | 'ignoredFiles'
  | 'ignoredEntries'
  | 'entriesListedBy'
  | 'isIgnored'
  | 'trackedFiles'
  | 'fillSubmodules'
  | 'fillLargeFiles'
>

type PoolVerb = 'tendPool' | 'lookOverPool' | 'endPool'

const CHECKOUT_TIMEOUT = 900_000
/** Files from which on it pays to start a process for each worker; git’s own is 100. */
const WORTH_WORKERS = 2000
const LEFT_BEHIND = /is a missing but (locked|already registered) worktree/

/**
 * Concurrent `git worktree add` on one repository loses some, so that everything here goes through
 * one lock.
 */
export function createWorktrees({
  run,
  lock,
  commonDir,
  exec,
}: {
  run: Run
  lock: Mutex
  exec: Exec
  commonDir: string
}): Worktrees {
  /**
   * Takes away the records of worktrees whose folder is gone, also of those that a crash cut off
   * while git made them.
   */
  const prune = async (path: string): Promise<void> => {
    const records = join(commonDir, 'worktrees')
    for (const name of await readdir(records).catch(() => [])) {
      const [reason, gitdir] = await Promise.all(
        ['locked', 'gitdir'].map((file) =>
          readFile(join(records, name, file), 'utf8').catch(() => ''),
        ),
      )
      if (reason?.trim() === BEING_MADE && (gitdir === '' || gitdir?.trim() === join(path, '.git')))
        await unlink(join(records, name, 'locked'))
    }
    await run.output('prune worktrees', ['worktree', 'prune', '--expire', 'now'])
  }

  /**
   * One process where all goes well. `undo` takes back what a failed one leaves, before another try
   * and in the end.
   */
  const add = async (
    path: string,
    args: readonly string[],
    settings: readonly string[],
    undo?: () => Promise<unknown>,
  ): Promise<void> => {
    const once = async () => {
      const result = await run.attempt(['worktree', 'add', ...args], {
        settings,
        timeout: CHECKOUT_TIMEOUT,
        waitsForLock: false,
        env: NO_LARGE_FILES,
      })
      // Where the branch was there before, git says so and has done nothing.
      if (result.exitCode !== 0 && !/a branch named '.*' already exists/.test(result.stderr))
        await undo?.()
      return result
    }
    let result = await once()
    for (const wait of LOCK_WAITS) {
      if (result.exitCode === 0) return
      if (LEFT_BEHIND.test(result.stderr)) await prune(path)
      else if (isLocked(result)) await pause(wait)
      else break
      result = await once()
    }
    if (result.exitCode !== 0) throw run.failure(`make the worktree ${path}`, result)
  }

  const workersOf = (count: number | undefined): readonly string[] =>
    count === undefined
      ? []
      : [`checkout.workers=${count}`, `checkout.thresholdForParallelism=${WORTH_WORKERS}`]

  interface CheckOut {
    readonly checkoutWorkers?: number | undefined
    readonly env?: Readonly<Record<string, string>>
  }
  /** The files of its commit, outside the lock: nobody else touches this index. */
  const checkOut = async (
    path: string,
    { checkoutWorkers, env = {} }: CheckOut = {},
  ): Promise<void> => {
    const options = {
      worktree: path,
      timeout: CHECKOUT_TIMEOUT,
      settings: workersOf(checkoutWorkers),
      env,
    }
    await run.output(`check out ${path}`, ['reset', '--hard', '--quiet'], options)
  }
  const addEmpty = (path: string, sha: Sha): Promise<void> =>
    // A worktree of the pool is moved by a rename, after which relative paths would name nothing.
    lock(() =>
      add(
        path,
        ['--detach', '--no-checkout', '--', path, sha],
        ['worktree.useRelativePaths=false'],
      ),
    )

  const makeWorktree = createMakeWorktree({ run, commonDir })
  const { putAway, requireRemovable } = createPutAway({ run, commonDir })

  const worktrees: Omit<Worktrees, PoolVerb | 'canShareBlocks'> = {
    worktrees: () =>
      lock(async () =>
        parseWorktreeList(
          await run.output('list the worktrees', ['worktree', 'list', '--porcelain', '-z'], {
            reads: true,
          }),
        ).filter(({ path }) => !isPooled(path)),
      ),

    addWorktree: async ({
      path,
      branch,
      create,
      at,
      checkoutWorkers,
      pool: folder,
      sparse = [],
    }) => {
      const isSparse = sparse.length > 0
      const mayTake = create && !isSparse && folder !== undefined
      if (mayTake && (await pool.take({ folder, path, branch, at }))) return
      // git may be held to folders that are there.
      await mkdir(dirname(path), { recursive: true })
      if (create && !isSparse) {
        const files = () => checkOut(path, { checkoutWorkers, env: NO_LARGE_FILES })
        if (await makeWorktree({ path, branch, at, checkOut: files })) return
      }
      await lock(async () => {
        const settings = workersOf(checkoutWorkers)
        const files = isSparse ? ['--no-checkout'] : []
        if (!create) return add(path, [...files, '--', path, branch], settings)
        // git makes the branch first and keeps it when the checkout fails.
        const undo = () =>
          run.attempt(['update-ref', '--no-deref', '-d', `refs/heads/${branch}`, at])
        const args = [...files, '--no-track', '-b', branch, '--', path, at]
        return add(path, args, settings, undo)
      })
      if (!isSparse) return
      const cone = ['sparse-checkout', 'set', '--cone', '--stdin']
      const input = sparse.map((place) => `${place}\n`).join('')
      await run.output(`choose the folders of ${path}`, cone, { worktree: path, input })
      await checkOut(path, { checkoutWorkers, env: NO_LARGE_FILES })
    },

    addDetachedWorktree: async (path, sha) => {
      await addEmpty(path, sha)
      await checkOut(path)
    },

    removeWorktree: async (path, { force = false, trash, looked } = {}) => {
      const target = absolute(path)
      if (trash !== undefined && (await putAway({ target, trash, force, looked }))) return
      await lock(async () => {
        let result = await run.attempt([
          'worktree',
          'remove',
          ...(force ? ['--force'] : []),
          '--',
          target,
        ])
        if (
          force &&
          result.exitCode !== 0 &&
          result.stderr.includes(`lock reason: ${BEING_MADE}`)
        ) {
          result = await run.attempt(['worktree', 'remove', '--force', '--force', '--', target])
        }
        if (result.exitCode === 0) return
        if (!/is not a working tree/.test(result.stderr))
          throw run.failure(`remove the worktree ${target}`, result, { worktree: target })

        const content = await readdir(target).catch(() => null)
        // A crash between git’s first steps leaves a folder with nothing but its `.git` file.
        if (content !== null && force && content.every((name) => name === '.git'))
          await rm(target, { recursive: true, force: true })
        else if (content !== null) {
          throw new ExomonadError(
            'GIT_FAILED',
            `${target} is not a worktree of this repository: it was left alone.`,
            { worktree: target },
          )
        }
        await prune(target)
      })
    },

    requireRemovable: (path) => requireRemovable(absolute(path)),

    ...createIgnored(run),
    ...createSubmodules({ run, commonDir }),
    fillLargeFiles: createFillLargeFiles(run),
  }
  const pool = createPool({
    run,
    commonDir,
    lock,
    addEmpty,
    fill: (path, checkoutWorkers) => checkOut(path, { checkoutWorkers, env: NO_LARGE_FILES }),
    exec,
    remove: worktrees.removeWorktree,
  })
  const { tendPool, lookOverPool, endPool } = pool
  return { ...worktrees, canShareBlocks, tendPool, lookOverPool, endPool }
}
