import { randomBytes } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rmdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseSha, type BranchName, type Sha } from '../../../domain/ids.ts'
import type { Exec } from '../../../processes/exec.ts'
import type { Git } from '../git.ts'
import { createLimit, type Mutex } from '../mutex.ts'
import type { Run } from '../run.ts'
import { canShareBlocks, cloneFiles } from './clone-files.ts'
import { isOrdinary } from './make-worktree.ts'
import { isQuiet, isRecorded, putHeadOn, recordOf } from './worktree-record.ts'

/** Those of Git LFS are brought from this machine’s store afterwards; nothing is fetched here. */
export const NO_LARGE_FILES = { GIT_LFS_SKIP_SMUDGE: '1' }

/** Folder of worktrees that are kept ready, beside those of agents. No agent’s name has a dot. */
const POOL = '.pool'
/** Nothing is made ready so soon after a spawn: it, and those beside it, need the machine. */
const QUIET = 2_000
/** After a failure: what it is for, a full disk say, is not over in a moment. */
const PAUSE = 60_000
/** A look that is older, when one is taken, is made again. Milliseconds. */
const FRESH = 2_000

/** What is kept ready is nobody’s worktree yet. */
export const isPooled = (path: string): boolean => basename(dirname(path)) === POOL

export interface Pool extends Pick<Git, 'tendPool' | 'lookOverPool' | 'endPool'> {
  /**
   * Makes one that is ready into the worktree of a new branch. False where there is none, and
   * nothing was done.
   */
  readonly take: (wanted: {
    folder: string
    path: string
    branch: BranchName
    at: Sha
  }) => Promise<boolean>
}

/**
 * Worktrees that are checked out while nobody waits: a spawn takes one by a rename, with its index
 * as warm as it is. None was anybody’s before, and each is looked over when it is taken: it is
 * exactly its commit, without a file more. A crash leaves either one that is ready or one of an
 * agent; what is neither goes at the next start.
 */
export function createPool({
  run,
  commonDir,
  lock,
  addEmpty,
  fill,
  exec,
  remove,
}: {
  run: Run
  commonDir: string
  lock: Mutex
  /** A detached worktree without files, and then its files. */
  addEmpty: (path: string, sha: Sha) => Promise<void>
  fill: (path: string, checkoutWorkers: number) => Promise<void>
  exec: Exec
  remove: Git['removeWorktree']
}): Pool {
  /** By their folder. */
  const ready = new Map<string, Sha>()
  /** Begun before one is taken, by its folder. */
  const looks = new Map<string, Look>()
  /** Each takes all processors: more at once would only let all of them end late. */
  const limit = createLimit(availableParallelism())
  let known: Promise<void> | undefined
  let asked = 0
  let last: Sha | undefined
  let pausedUntil = 0
  let thrownAway = false

  const drop = async (path: string, trash?: string): Promise<void> => {
    ready.delete(path)
    looks.delete(path)
    thrownAway ||= trash !== undefined
    await remove(path, { force: true, ...(trash === undefined ? {} : { trash }) })
  }
  /** Its commit, where it is a detached worktree of that and holds nothing else, ignored or not. */
  const commitOf = async (path: string): Promise<Sha | undefined> => {
    const looked = await limit(() => run.attempt(STATUS, { worktree: path, reads: true }))
    const parts = looked.stdout.split('\0').filter((part) => part !== '')
    const isClean = parts.every((part) => part.startsWith('# '))
    if (looked.exitCode !== 0 || !isClean || !parts.includes('# branch.head (detached)'))
      return undefined
    const oid = parts.find((part) => part.startsWith('# branch.oid '))
    return oid === undefined ? undefined : parseSha(oid.replace('# branch.oid ', ''))
  }
  const checkOut = async (path: string, at: Sha): Promise<boolean> => {
    const options = { worktree: path, timeout: CHECKOUT, env: NO_LARGE_FILES }
    return (await run.attempt(['checkout', '--quiet', '--detach', at], options)).exitCode === 0
  }
  /** What an earlier daemon left: what is whole is ready again, all else goes. */
  const find = async (folder: string, trash: string): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const isWhole = (await isRecorded(path)) && (await isQuiet(path))
      const commit = isWhole ? await commitOf(path) : undefined
      if (commit !== undefined) ready.set(path, commit)
      else if (await isRecorded(path)) await drop(path, trash)
      else {
        thrownAway = true
        await putAside(path, trash)
      }
    }
  }

  /**
   * Its files from one that is ready, by blocks that both share. False where the file system can’t,
   * or there is none; what is there then is filled up by a checkout.
   */
  const cloneOne = async (path: string, wanted: Sha): Promise<boolean> => {
    const [seed] = [...ready].find(([, commit]) => commit === wanted) ?? []
    if (seed === undefined || !(await canShareBlocks(path))) return false
    // Nobody takes it meanwhile.
    ready.delete(seed)
    try {
      if (!(await cloneFiles(exec, seed, path))) return false
      await run.attempt(['update-index', '-q', '--refresh'], { worktree: path })
      return (await commitOf(path)) === wanted
    } finally {
      ready.set(seed, wanted)
    }
  }

  /** False, and it is still the one that it was, where that can’t be done: to another disk, say. */
  const move = async (place: string, path: string): Promise<boolean> => {
    const record = await recordOf(place)
    if (record === undefined) return false
    return lock(async () => {
      const names = (at: string) => writeFile(join(record, 'gitdir'), `${join(at, '.git')}\n`)
      try {
        await mkdir(dirname(path), { recursive: true })
        // What names its record in relation to where it lies would name nothing there.
        await writeFile(join(place, '.git'), `gitdir: ${record}\n`)
        // In this order: cut off between the two, git’s record of it is one without a folder, and
        // the folder one without a record.
        await names(join(await realpath(dirname(path)), basename(path)))
        await rename(place, path)
        return true
      } catch {
        await names(place).catch(() => undefined)
        return false
      }
    })
  }

  const readyIn = async (folder: string): Promise<[string, Sha][]> => {
    const real = await realOrSame(folder)
    return [...ready].filter(([place]) => dirname(place) === real)
  }

  const lookOverPool: Git['lookOverPool'] = async (folder, count) => {
    asked = performance.now()
    const others = (await readyIn(folder)).filter(([place]) => !isFresh(looks.get(place)))
    for (const [place] of others.slice(0, count)) {
      const commit = commitOf(place).catch(() => undefined)
      const look: Look = { commit }
      void commit.then(() => (look.ended = performance.now()))
      looks.set(place, look)
    }
  }

  /** As `git symbolic-ref` does, which is asked where a record may be of another form. */
  const putOn = async (path: string, ref: string, note: string): Promise<boolean> => {
    const record = await recordOf(path)
    try {
      if (record === undefined || !(await isOrdinary(commonDir)))
        throw new Error('git’s own to write')
      await putHeadOn(record, ref)
      return true
    } catch {
      const asked = ['symbolic-ref', '-m', note, 'HEAD', ref]
      return (await run.attempt(asked, { worktree: path })).exitCode === 0
    }
  }

  const take: Pool['take'] = async ({ folder, path, branch, at }) => {
    asked = performance.now()
    last = at
    const own = await readyIn(folder)
    const same = own.filter(([, commit]) => commit === at)
    const [place, commit] = same.find(([place]) => looks.has(place)) ?? same[0] ?? own[0] ?? []
    if (place === undefined || commit === undefined) return false
    ready.delete(place)
    const look = looks.get(place)
    looks.delete(place)
    const isThere = commit === at || (await checkOut(place, at))
    const isSeen = commit === at && isFresh(look)
    const found = isThere ? await (isSeen ? look?.commit : commitOf(place)) : undefined
    if (found !== at || !(await move(place, path))) {
      // What can’t be taken away is seen to at the next start: the spawn goes on without it.
      await drop(place).catch(() => undefined)
      return false
    }
    const ref = `refs/heads/${branch}`
    const note = `branch: Created from ${at}`
    // Fails where there is one, also one that was made since.
    const made = await run.attempt(['update-ref', '--create-reflog', '-m', note, ref, at, ''])
    if (made.exitCode === 0 && (await putOn(path, ref, note))) return true
    if (made.exitCode === 0) await run.attempt(['update-ref', '-d', ref, at])
    await drop(path)
    return false
  }

  const make = async (path: string, wanted: Sha, workers: number, trash: string) => {
    try {
      await addEmpty(path, wanted)
      if (!(await cloneOne(path, wanted))) await fill(path, workers)
    } catch (thrown) {
      await drop(path, trash).catch(() => undefined)
      throw thrown
    }
    // What was written in the same instant as the index is read again until that is written anew.
    await run.attempt(['update-index', '-q', '--refresh'], { worktree: path })
    ready.set(path, wanted)
  }

  const step = async (options: Parameters<Git['tendPool']>[0]): Promise<void> => {
    const { size, at, trash, checkoutWorkers } = options
    const folder = await realOrSame(options.folder)
    await (known ??= find(folder, trash).catch((thrown: unknown) => {
      known = undefined
      throw thrown
    }))
    if (performance.now() - asked < QUIET && asked > 0) return
    const wanted = last ?? at
    const [spare] = [...ready.keys()].slice(size)
    if (spare !== undefined) return drop(spare, trash)
    const [stale] = [...ready].find(([, commit]) => commit !== wanted) ?? []
    if (stale !== undefined) {
      // Nobody takes it meanwhile.
      ready.delete(stale)
      if (await checkOut(stale, wanted)) ready.set(stale, wanted)
      else await drop(stale, trash)
    } else if (ready.size < size) {
      await mkdir(folder, { recursive: true })
      const path = join(await realpath(folder), `ready-${randomBytes(4).toString('hex')}`)
      await make(path, wanted, checkoutWorkers, trash)
    }
    if (size === 0) await rmdir(folder).catch(() => undefined)
  }

  const tendPool: Git['tendPool'] = async (options) => {
    try {
      if (performance.now() >= pausedUntil) await step(options)
    } catch (thrown) {
      pausedUntil = performance.now() + PAUSE
      throw thrown
    }
    const did = thrownAway
    thrownAway = false
    return did
  }

  return {
    take,
    tendPool,
    lookOverPool,
    endPool: async (given, trash) => {
      const folder = await realOrSame(given)
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        if (await isRecorded(path)) await drop(path, trash)
        else await putAside(path, trash)
      }
      await rmdir(folder).catch(() => undefined)
    },
  }
}

const STATUS = [
  ...['status', '--porcelain=v2', '--branch', '--ignored', '--untracked-files=normal'],
  ...['--no-ahead-behind', '-z'],
]

/** Milliseconds. */
const CHECKOUT = 900_000

interface Look {
  readonly commit: Promise<Sha | undefined>
  ended?: number
}
const isFresh = (look: Look | undefined): boolean =>
  look !== undefined && (look.ended === undefined || performance.now() - look.ended < FRESH)

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => path)

async function putAside(path: string, trash: string): Promise<void> {
  await mkdir(trash, { recursive: true, mode: 0o700 })
  await rename(path, join(trash, `${basename(path)}-${randomBytes(4).toString('hex')}`))
}
