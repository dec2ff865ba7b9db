import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { parseSha, type BranchName, type Sha } from '../../../domain/ids.ts'
import type { Exec } from '../../../processes/exec.ts'
import type { Git } from '../git.ts'
import type { Mutex } from '../mutex.ts'
import type { Run } from '../run.ts'

/** Those of Git LFS are brought from this machine’s store afterwards; nothing is fetched here. */
export const NO_LARGE_FILES = { GIT_LFS_SKIP_SMUDGE: '1' }

/** Folder of worktrees that are kept ready, beside those of agents. No agent’s name has a dot. */
const POOL = '.pool'
/** Nothing is made ready so soon after a spawn: it, and those beside it, need the machine. */
const QUIET = 2_000
/** After a failure: what it is for, a full disk say, is not over in a moment. */
const PAUSE = 60_000

/** What is kept ready is nobody’s worktree yet. */
export const isPooled = (path: string): boolean => basename(dirname(path)) === POOL

export interface Pool extends Pick<Git, 'tendPool' | 'endPool'> {
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
  lock,
  addEmpty,
  fill,
  exec,
  remove,
}: {
  run: Run
  lock: Mutex
  /** A detached worktree without files, and then its files. */
  addEmpty: (path: string, sha: Sha) => Promise<void>
  fill: (path: string, checkoutWorkers: number) => Promise<void>
  exec: Exec
  remove: Git['removeWorktree']
}): Pool {
  /** By their folder. */
  const ready = new Map<string, Sha>()
  let known: Promise<void> | undefined
  let asked = 0
  let last: Sha | undefined
  let pausedUntil = 0
  let thrownAway = false

  const drop = async (path: string, trash?: string): Promise<void> => {
    ready.delete(path)
    thrownAway ||= trash !== undefined
    await remove(path, { force: true, ...(trash === undefined ? {} : { trash }) })
  }
  /** Its commit, where it is a detached worktree of that and holds nothing else, ignored or not. */
  const commitOf = async (path: string): Promise<Sha | undefined> => {
    const looked = await run.attempt(STATUS, { worktree: path, reads: true })
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
  const recordOf = async (path: string): Promise<string | undefined> => {
    const mark = await readFile(join(path, '.git'), 'utf8').catch(() => '')
    const record = /^gitdir: (.+?)\r?\n?$/s.exec(mark)?.[1]
    return record === undefined ? undefined : resolve(path, record)
  }
  /** Whether git’s record of it names this folder, so that git itself can take it away. */
  const isRecorded = async (path: string): Promise<boolean> => {
    const record = await recordOf(path)
    const named = await readFile(join(record ?? '', 'gitdir'), 'utf8').catch(() => '')
    return record !== undefined && resolve(record, named.trim()) === join(path, '.git')
  }
  /** Nothing was in the middle of changing it when its process ended. */
  const isQuiet = async (path: string): Promise<boolean> => {
    const files = await readdir((await recordOf(path)) ?? '').catch(() => [])
    return !files.some((name) => name.endsWith('.lock'))
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
      const names = (await readdir(seed)).filter((name) => name !== '.git')
      const [from, to] = await Promise.all([recordOf(seed), recordOf(path)])
      if (from === undefined || to === undefined) return false
      // Of a split index one file alone is worth nothing.
      if ((await readdir(from)).some((name) => name.startsWith('sharedindex.'))) return false
      const copied = await exec('cp', [...CLONE, ...names, path], { cwd: seed, env: { PATH } })
      if (copied.exitCode !== 0) return false
      await copyFile(join(from, 'index'), join(to, 'index'))
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

  const take: Pool['take'] = async ({ folder, path, branch, at }) => {
    asked = performance.now()
    last = at
    const real = await realOrSame(folder)
    const own = [...ready].filter(([place]) => dirname(place) === real)
    const [place, commit] = own.find(([, commit]) => commit === at) ?? own[0] ?? []
    if (place === undefined || commit === undefined) return false
    ready.delete(place)
    const isThere = commit === at || (await checkOut(place, at))
    if (!isThere || (await commitOf(place)) !== at || !(await move(place, path))) {
      // What can’t be taken away is seen to at the next start: the spawn goes on without it.
      await drop(place).catch(() => undefined)
      return false
    }
    const ref = `refs/heads/${branch}`
    const note = `branch: Created from ${at}`
    // Fails where there is one, also one that was made since.
    const made = await run.attempt(['update-ref', '--create-reflog', '-m', note, ref, at, ''])
    const on =
      made.exitCode === 0 &&
      (await run.attempt(['symbolic-ref', '-m', note, 'HEAD', ref], { worktree: path }))
        .exitCode === 0
    if (on) return true
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
const CLONE = process.platform === 'darwin' ? ['-a', '-c', '--'] : ['-a', '--reflink=always', '--']
const PATH = '/usr/local/bin:/usr/bin:/bin'

export const canShareBlocks: Git['canShareBlocks'] = async (folder) => {
  const [one, two] = ['a', 'b'].map((name) => join(folder, `.exomonad-probe-${name}`))
  if (one === undefined || two === undefined) return false
  try {
    await writeFile(one, 'x'.repeat(65_536))
    await copyFile(one, two, constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    return false
  } finally {
    await Promise.all([one, two].map((file) => rm(file, { force: true })))
  }
}

/** Milliseconds. */
const CHECKOUT = 900_000

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => path)

async function putAside(path: string, trash: string): Promise<void> {
  await mkdir(trash, { recursive: true, mode: 0o700 })
  await rename(path, join(trash, `${basename(path)}-${randomBytes(4).toString('hex')}`))
}
