import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { asBranchName, type BranchName, type Sha } from '../../../domain/ids.ts'
import { readPlain } from '../../../processes/plain-file.ts'
import { wordsOf } from '../failure.ts'
import type { FastForwarded, FastForwardResult, Git, WorktreeStatus } from '../git.ts'
import type { Run } from '../run.ts'

type WorktreeState = Pick<Git, 'status' | 'fastForward'>

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Bytes of a `.git` file. */
const LONGEST = 8192

/**
 * Folder of a worktree’s own HEAD and index: `.git` itself, or the folder that the file `.git`
 * names.
 */
export async function gitDirOf(worktree: string): Promise<string> {
  const dotGit = join(worktree, '.git')
  const text = await readPlain(dotGit, LONGEST)
  return text === null
    ? dotGit
    : resolve(
        worktree,
        text
          .toString('utf8')
          .replace(/^gitdir: /, '')
          .trimEnd(),
      )
}

/** What stands half done in a worktree. */
export const operationIn = async (worktree: string): Promise<WorktreeStatus['operation']> =>
  operationOf(await gitDirOf(worktree))

/** The same by the folder of its own HEAD and index. */
export async function operationOf(gitDir: string): Promise<WorktreeStatus['operation']> {
  const [merge, apply, merging, picking, reverting] = await Promise.all(
    ['rebase-merge', 'rebase-apply', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].map((name) =>
      exists(join(gitDir, name)),
    ),
  )
  if (merge || apply) return 'rebase'
  if (merging) return 'merge'
  if (picking) return 'cherry-pick'
  return reverting ? 'revert' : null
}

/** Reads `git status --porcelain=v2 --branch -z` without renames. */
export function parseStatus(text: string): Omit<WorktreeStatus, 'operation'> {
  let branch: string | null = null
  let head: string | null = null
  const dirty: string[] = []
  const conflicted: string[] = []
  for (const entry of text.split('\0')) {
    if (entry.startsWith('# branch.head ')) branch = entry.slice('# branch.head '.length)
    else if (entry.startsWith('# branch.oid ')) head = entry.slice('# branch.oid '.length)
    else if (entry.startsWith('? ')) dirty.push(entry.slice(2))
    else if (entry.startsWith('1 ')) dirty.push(entry.split(' ').slice(8).join(' '))
    else if (entry.startsWith('u ')) {
      const path = entry.split(' ').slice(10).join(' ')
      dirty.push(path)
      conflicted.push(path)
    }
  }
  return {
    branch: branch === null || branch === '(detached)' ? null : asBranchName(branch),
    head: head === null || head === '(initial)' ? null : (head as Sha),
    dirty,
    conflicted,
  }
}

export function createWorktreeState({
  run,
  commonDir,
  git,
}: {
  run: Run
  commonDir: string
  git: Pick<Git, 'isAncestor'>
}): WorktreeState {
  /** As far as its files show. */
  const isOurs = async (worktree: string): Promise<boolean> => {
    const gitDir = await gitDirOf(worktree)
    return gitDir === commonDir || dirname(gitDir) === join(commonDir, 'worktrees')
  }

  const status: WorktreeState['status'] = async (worktree, { submodules = false } = {}) => {
    const args = [
      'status',
      '--porcelain=v2',
      '--branch',
      '--no-renames',
      '--no-ahead-behind',
      '--untracked-files=normal',
      ...(submodules ? ['--ignore-submodules=none'] : []),
      '-z',
    ]
    const [text, operation] = await Promise.all([
      run.output(`look at ${worktree}`, args, { worktree, reads: true }),
      operationIn(worktree),
    ])
    const seen = parseStatus(text)
    // A git that can’t write the whole repository, as in a sandbox, leaves its mark of a pick that
    // went well. Where nothing is changed nothing would be lost with it.
    const isOver = operation === 'cherry-pick' && seen.dirty.length === 0
    return { ...seen, operation: isOver ? null : operation }
  }

  async function fastForward(worktree: string, to: Sha): Promise<FastForwarded>
  async function fastForward(worktree: string, to: Sha, on: BranchName): Promise<FastForwardResult>
  async function fastForward(
    worktree: string,
    to: Sha,
    on?: BranchName,
  ): Promise<FastForwardResult> {
    const notSynced = (reason: string) => ({ kind: 'not_synced' as const, reason })
    if (on !== undefined && !(await isOurs(worktree))) return { kind: 'elsewhere' }
    const args = [
      'status',
      '--porcelain=v2',
      '--branch',
      '--no-renames',
      '--no-ahead-behind',
      '--untracked-files=no',
      '-z',
    ]
    const looked = await run.attempt(args, { worktree, reads: true })
    if (looked.exitCode !== 0)
      return notSynced(run.failure(`look at ${worktree}`, looked, { worktree }).message)
    const { branch, head, dirty } = parseStatus(looked.stdout)
    if (on !== undefined && branch !== on) return { kind: 'elsewhere' }
    const operation = await operationIn(worktree)
    if (operation !== null) return notSynced(`a ${operation} is in progress in ${worktree}`)
    if (branch === null) return notSynced(`${worktree} is not on a branch`)
    // This first: of a commit made right on its tip it is known without a process.
    const forward = head === null || (head !== to && (await git.isAncestor(head, to)))
    if (head !== null && !forward && (await git.isAncestor(to, head)))
      return { kind: 'synced', head }
    if (dirty.length > 0)
      return notSynced(
        `${worktree} has uncommitted changes: ${dirty.slice(0, 10).join(', ')}${dirty.length > 10 ? ', …' : ''}`,
      )
    if (!forward)
      return notSynced(`${branch} has commits in ${worktree} that the remote lacks (diverged)`)
    const merged = await run.attempt(['merge', '--ff-only', '--no-stat', '--quiet', to], {
      worktree,
    })
    return merged.exitCode === 0
      ? { kind: 'synced', head: to }
      : notSynced(wordsOf(merged) || run.failure('fast-forward', merged, { worktree }).message)
  }

  return { status, fastForward }
}
