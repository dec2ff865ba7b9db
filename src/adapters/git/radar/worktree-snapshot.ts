import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSha, type Sha } from '../../../domain/ids.ts'
import { RADAR_INDEX } from '../../../runtime/paths.ts'
import { wordsOf } from '../failure.ts'
import type { ExecResult } from '../../../processes/exec.ts'
import type { Run } from '../run.ts'
import { copyIndex, SOME_MISSING } from '../worktrees/snapshots.ts'
import { gitDirOf, operationOf, parseStatus } from '../worktrees/worktree-state.ts'
import type { RadarGit, WorktreeSnapshot } from './radar-git.ts'
import type { RadarObjects } from './radar-objects.ts'
import { markOf, signsOf, stampOf, stampsOf } from './worktree-marks.ts'

/** More uncommitted files than these are no work of an agent’s but a missing line in .gitignore. */
const MOST_PATHS = 20_000
/** Up to so many are named to `git add`, which then looks at nothing else. */
const MOST_NAMED = 200

const SETTINGS = [
  'core.splitIndex=false',
  'advice.addEmbeddedRepo=false',
  'diff.ignoreSubmodules=dirty',
]

const GONE = { recursive: true, force: true }

const STATUS = [
  'status',
  '--porcelain=v2',
  '--branch',
  '--no-renames',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '-z',
]

/** A worktree, and its index as it is to be read. */
interface Place {
  readonly worktree: string
  /** Folder of its own HEAD and index. */
  readonly gitDir: string
  /** Of that index. */
  readonly stamp: string
}

const unknown = (why: string) => ({ kind: 'unknown' as const, why })

/** Whole worktrees as commits, which `git status` and the index there know nothing of. */
export function createWorktreeSnapshots({
  run,
  objects,
}: {
  run: Run
  objects: RadarObjects
}): Pick<RadarGit, 'snapshotWorktree' | 'seemsUnchanged'> {
  /** What may show that there is more, as it was when a snapshot was taken. */
  const lastSigns = new WeakMap<WorktreeSnapshot, ReadonlyMap<string, string>>()

  /** Of the index of a git folder, its state that was copied, and that of the copy. */
  const indexes = new Map<string, { readonly of: string; readonly own: string }>()

  /**
   * A copy of an index that git writes anew: in that of a worktree that was made within a second,
   * nothing tells that a file was not changed in that second, and git would read all of them each
   * time. Nothing is ever added to it.
   */
  const bringIndex = async (gitDir: string, stamp: string): Promise<string> => {
    const index = join(gitDir, RADAR_INDEX)
    const known = indexes.get(gitDir)
    if (known?.of === stamp && known.own === (await stampOf(index))) return index
    // A git that was killed half-way leaves its lock.
    await Promise.all([index, `${index}.lock`].map((file) => rm(file, GONE)))
    await copyIndex(join(gitDir, 'index'), index).catch(() => rm(index, GONE))
    return index
  }

  /** The tree of all its files but `skipped`. `named`: what differed from its index at `stamp`. */
  const treeOf = async (
    { worktree, gitDir, stamp }: Place,
    { skipped, named }: { skipped: readonly string[]; named: readonly string[] | null },
  ): Promise<Sha> => {
    const real = join(gitDir, 'index')
    const refreshed = join(gitDir, RADAR_INDEX)
    const index = `${refreshed}-next`
    // Of a file of Git LFS only the pointer counts: what its filter stores is thrown away.
    const large = `${index}-lfs`
    // A git that was killed half-way leaves its lock.
    const clear = () => Promise.all([index, `${index}.lock`, large].map((file) => rm(file, GONE)))
    const options = {
      worktree,
      env: { ...(await objects.variables()), GIT_INDEX_FILE: index },
      settings: [...SETTINGS, `lfs.storage=${large}`],
    }
    const add = (
      pathspecs: readonly string[],
      settings: readonly string[] = [],
    ): Promise<ExecResult> =>
      run.attempt(
        [
          'add',
          '--all',
          '--sparse',
          '--ignore-errors',
          '--pathspec-from-file=-',
          '--pathspec-file-nul',
        ],
        {
          ...options,
          settings: [...options.settings, ...settings],
          input: pathspecs.join('\0'),
        },
      )
    const isDone = ({ exitCode }: ExecResult): boolean =>
      exitCode === 0 || exitCode === SOME_MISSING
    const begin = async (): Promise<void> => {
      await clear()
      const from = (await stampOf(real)) === stamp ? refreshed : real
      await copyIndex(from, index).catch(() => rm(index, { force: true }))
    }
    const addNamed = async (): Promise<boolean> => {
      if (named === null || named.length > MOST_NAMED || (await stampOf(real)) !== stamp)
        return false
      if (named.length === 0) return true
      // Threads that look at all files cost more than the few that are named.
      const few = named.map((path) => `:(top,literal)${path}`)
      if (isDone(await add(few, ['core.preloadIndex=false']))) return true
      // One that is gone since, or lies beyond a link now, git refuses with all others.
      await begin()
      return false
    }
    try {
      await begin()
      if (!(await addNamed())) {
        const all = await add([':/', ...skipped.map((path) => `:(top,exclude,literal)${path}`)])
        if (!isDone(all)) throw run.failure(`look at ${worktree}`, all, options)
      }
      // What was not changed is there, or its absence shows where it is read.
      const write = ['write-tree', '--missing-ok']
      return parseSha(await run.output(`look at ${worktree}`, write, options))
    } finally {
      await clear()
    }
  }

  const treeIn = async (commit: Sha): Promise<Sha> =>
    parseSha(
      await run.output('read a commit', ['rev-parse', '--verify', `${commit}^{tree}`], {
        reads: true,
      }),
    )

  /** A checkout, a rebase or a commit was there in between: each writes the index. */
  const hasMoved = async ({ worktree, gitDir, stamp }: Place, head: Sha): Promise<boolean> => {
    const [operation, now] = await Promise.all([
      operationOf(gitDir),
      stampOf(join(gitDir, 'index')),
    ])
    if (operation !== null) return true
    if (now === stamp) return false
    const args = ['rev-parse', '--verify', '--quiet', 'HEAD']
    return (await run.attempt(args, { worktree, reads: true })).stdout.trim() !== head
  }

  const take = async (
    worktree: string,
    last: WorktreeSnapshot | undefined,
  ): ReturnType<RadarGit['snapshotWorktree']> => {
    // Of one that is kept no more everything is written again.
    const isKept = last !== undefined && (last.commit === last.head || objects.has(last.commit))
    const before = isKept ? last : undefined
    const gitDir = await gitDirOf(worktree)
    const stamp = await stampOf(join(gitDir, 'index'))
    const place: Place = { worktree, gitDir, stamp }
    const index = await bringIndex(gitDir, stamp)
    const looked = await run.attempt(STATUS, {
      worktree,
      env: { GIT_INDEX_FILE: index },
      settings: SETTINGS,
    })
    indexes.set(gitDir, { of: stamp, own: await stampOf(index) })
    if (looked.exitCode !== 0) return unknown(wordsOf(looked) || 'git status failed')
    const { head, dirty, conflicted } = parseStatus(looked.stdout)
    const operation = await operationOf(gitDir)
    if (operation !== null) return unknown(`it is in the middle of a ${operation}`)
    if (conflicted.length > 0) return unknown('it has conflicts that are not resolved')
    if (head === null) return unknown('it has no commit yet')
    if (dirty.length > MOST_PATHS)
      return unknown(
        `it has ${dirty.length} uncommitted files, more than ${MOST_PATHS}: does .gitignore lack a line?`,
      )
    const [signs, { mark, large: skipped, bytes }] = await Promise.all([
      stampsOf(worktree, signsOf(gitDir, dirty)),
      markOf(worktree, looked.stdout, dirty),
    ])
    const known = (found: WorktreeSnapshot): WorktreeSnapshot => {
      lastSigns.set(found, signs)
      return found
    }
    if (before?.mark === mark) return known(before)
    const same = { kind: 'taken' as const, head, skipped, mark }
    if (dirty.length === 0) {
      const isKnown = before?.commit === head
      const tree = isKnown ? before.tree : await treeIn(head)
      return known({ ...same, commit: head, tree })
    }
    objects.note(bytes)
    const tree = await treeOf(place, { skipped, named: toAdd(looked.stdout, skipped) })
    // Else what is half-way from one commit to another would be taken for somebody's work.
    if (await hasMoved(place, head)) return unknown('its branch moved just now')
    return known({ ...same, tree, commit: await objects.commit(tree, head) })
  }

  return {
    snapshotWorktree: async (worktree, before) => {
      // A folder that lost its `.git` is part of whatever is around it.
      const there = await access(join(worktree, '.git')).then(
        () => true,
        () => false,
      )
      return there ? take(worktree, before) : unknown('its worktree is gone')
    },
    seemsUnchanged: async (worktree, snapshot) => {
      const before = lastSigns.get(snapshot)
      if (before === undefined) return false
      const now = await stampsOf(worktree, [...before.keys()])
      return [...before].every(([path, stamp]) => now.get(path) === stamp)
    },
  }
}

/**
 * What the index has not yet, of `git status --porcelain=v2 -z`; null where it may be more than is
 * said. What was staged and not touched since is there already.
 */
function toAdd(status: string, skipped: readonly string[]): string[] | null {
  const found: string[] = []
  for (const entry of status.split('\0')) {
    if (entry.startsWith('? ')) found.push(entry.slice(2))
    else if (entry.startsWith('1 ')) {
      if (entry[3] !== '.') found.push(entry.split(' ').slice(8).join(' '))
    } else if (entry !== '' && !entry.startsWith('# ')) return null
  }
  const left = new Set(skipped)
  return found.filter((path) => !left.has(path))
}
