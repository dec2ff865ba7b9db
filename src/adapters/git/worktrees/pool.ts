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
import { basename, dirname, join } from 'node:path'
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

  const drop = async (path: string, trash?: string): Promise<void> => {
    ready.delete(path)
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
    return /^gitdir: (.+?)\r?\n?$/s.exec(mark)?.[1]
  }
  /** Whether git’s record of it names this folder, so that git itself can take it away. */
  const isRecorded = async (path: string): Promise<boolean> => {
    const record = await recordOf(path)
    const named = await readFile(join(record ?? '', 'gitdir'), 'utf8').catch(() => '')
    return record !== undefined && named.trim() === join(path, '.git')
  }

  /** What an earlier daemon left: what is whole is ready again, all else goes. */
  const find = async (folder: string, trash: string): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const commit = (await isRecorded(path)) ? await commitOf(path) : undefined
      if (commit !== undefined) ready.set(path, commit)
      else if (await isRecorded(path)) await drop(path, trash)
      else await putAside(path, trash)
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
      const copied = await exec('cp', [...CLONE, ...names, path], { cwd: seed, env: { PATH } })
      if (copied.exitCode !== 0 || from === undefined || to === undefined) return false
      await copyFile(join(from, 'index'), join(to, 'index'))
      await run.attempt(['update-index', '-q', '--refresh'], { worktree: path })
      return (await commitOf(path)) === wanted
    } finally {
      ready.set(seed, wanted)
    }
  }

  const take: Pool['take'] = async ({ folder, path, branch, at }) => {
    asked = performance.now()
    last = at
    const own = [...ready].filter(([place]) => dirname(place) === folder)
    const [place, commit] = own.find(([, commit]) => commit === at) ?? own[0] ?? []
    if (place === undefined || commit === undefined) return false
    ready.delete(place)
    const moved = commit === at || (await checkOut(place, at))
    if (!moved || (await commitOf(place)) !== at) {
      await drop(place)
      return false
    }
    const record = await recordOf(place)
    if (record === undefined) return false
    await lock(async () => {
      // In this order: cut off between the two, git’s record of it is one without a folder, and the
      // folder one without a record.
      await writeFile(join(record, 'gitdir'), `${join(path, '.git')}\n`)
      await mkdir(dirname(path), { recursive: true })
      await rename(place, path)
    })
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

  const tendPool: Git['tendPool'] = async ({ folder, size, at, trash, checkoutWorkers }) => {
    await (known ??= find(folder, trash))
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
      await addEmpty(path, wanted)
      if (!(await cloneOne(path, wanted))) await fill(path, checkoutWorkers)
      // What was written in the same instant as the index is read again until that is written anew.
      await run.attempt(['update-index', '-q', '--refresh'], { worktree: path })
      ready.set(path, wanted)
    }
    if (size === 0) await rmdir(folder).catch(() => undefined)
  }

  return {
    take,
    tendPool,
    endPool: async (folder, trash) => {
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

async function putAside(path: string, trash: string): Promise<void> {
  await mkdir(trash, { recursive: true, mode: 0o700 })
  await rename(path, join(trash, `${basename(path)}-${randomBytes(4).toString('hex')}`))
}
