import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import { asBranchName, parseSha, type BranchName, type Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import type { LookUp } from './look-up.ts'
import type { Mutex } from './mutex.ts'
import type { Run } from './run.ts'
import { parseWorktreeList } from './worktrees/worktree-list.ts'

type Refs = Pick<
  Git,
  'resolve' | 'present' | 'branches' | 'deleteBranch' | 'deleteBranches' | 'hasHeld' | 'mergeBase'
>

/** Reads lines of `<sha> <full ref>`; refs outside `prefix` are left out. */
export function parseRefs(text: string, prefix: string): Map<BranchName, Sha> {
  const refs = new Map<BranchName, Sha>()
  for (const line of text.split('\n')) {
    const [sha, ref] = line.split(/[ \t]/, 2)
    if (sha !== undefined && ref !== undefined && ref.startsWith(prefix))
      refs.set(asBranchName(ref.slice(prefix.length)), sha as Sha)
  }
  return refs
}

export function createRefs({
  run,
  lock,
  commonDir,
  lookUp,
}: {
  run: Run
  commonDir: string
  lock: Mutex
  lookUp?: LookUp | undefined
}): Refs {
  const resolve: Refs['resolve'] = async (revision) => {
    const kept = await lookUp?.commit(revision)
    if (kept !== undefined) return kept
    const result = await run.attempt(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
      { reads: true },
    )
    if (result.exitCode === 0) return parseSha(result.stdout)
    if (
      result.exitCode === 1 ||
      /unknown revision|bad revision|needed a single revision|bad object|expected commit type/i.test(
        result.stderr,
      )
    )
      return null
    throw run.failure(`resolve "${revision}"`, result)
  }

  const deleteOne = async (branch: BranchName, expected: Sha): Promise<boolean | Error> => {
    const ref = `refs/heads/${branch}`
    const result = await run.attempt(['update-ref', '--no-deref', '-d', ref, expected])
    if (result.exitCode === 0) return true
    if ((await resolve(ref)) !== expected) return false
    return run.failure(`delete the branch ${branch}`, result)
  }

  /**
   * Deleting the ref alone leaves `[branch "…"]` behind; that section is ours to take away only
   * because the branch is gone.
   */
  const forget = async (branches: readonly BranchName[]): Promise<void> => {
    const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => null)
    for (const branch of branches)
      // A quote in a name is written in another way there.
      if (branch.includes('"') || config?.includes(branch) !== false)
        await run.attempt(['config', '--local', '--remove-section', `branch.${branch}`])
  }

  const deleteBranches: Refs['deleteBranches'] = (tips) =>
    lock(async () => {
      const outcome = new Map<BranchName, boolean | Error>()
      if (tips.size === 0) return outcome
      // update-ref, which compares before it deletes, would take the branch from under a worktree.
      const worktrees = parseWorktreeList(
        await run.output('list the worktrees', ['worktree', 'list', '--porcelain', '-z'], {
          reads: true,
        }),
      )
      const free: [BranchName, Sha][] = []
      for (const [branch, expected] of tips) {
        const holder = worktrees.find(
          (worktree) => worktree.branch === branch && !worktree.prunable && !worktree.bare,
        )
        if (holder === undefined) free.push([branch, expected])
        else outcome.set(branch, checkedOut(branch, holder.path))
      }
      // All of them or none, in one process; one that has moved keeps no other.
      const input = free.map(([branch, expected]) => `delete refs/heads/${branch} ${expected}\n`)
      const atOnce =
        free.length > 1
          ? await run.attempt(['update-ref', '--no-deref', '--stdin'], { input: input.join('') })
          : undefined
      for (const [branch, expected] of free)
        outcome.set(branch, atOnce?.exitCode === 0 || (await deleteOne(branch, expected)))
      await forget([...outcome].flatMap(([branch, gone]) => (gone === true ? [branch] : [])))
      return outcome
    })

  return {
    resolve,

    async present(shas) {
      if (shas.length === 0) return new Set()
      const kept =
        lookUp === undefined ? [] : await Promise.all(shas.map((sha) => lookUp.commit(sha)))
      if (kept.length > 0 && !kept.includes(undefined))
        return new Set(shas.filter((_, index) => kept[index] !== null))
      const answers = await run.output(
        'look up commits',
        ['cat-file', '--batch-check=%(objecttype)'],
        {
          input: shas.map((sha) => `${sha}^{commit}\n`).join(''),
          reads: true,
        },
      )
      const types = answers.trimEnd().split('\n')
      return new Set(shas.filter((_, index) => types[index] === 'commit'))
    },

    async branches() {
      return parseRefs(
        await run.output(
          'list the branches',
          ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'],
          { reads: true },
        ),
        'refs/heads/',
      )
    },

    deleteBranch: async (branch, expected) => {
      const deleted = (await deleteBranches(new Map([[branch, expected]]))).get(branch)
      if (deleted instanceof Error) throw deleted
      return deleted === true
    },
    deleteBranches,

    async hasHeld(branch, sha) {
      if ((await resolve(sha)) === null) return false
      const log = await run.attempt(
        ['reflog', 'show', '--format=%H', `refs/heads/${branch}`, '--'],
        { reads: true },
      )
      const tips =
        log.exitCode === 0 ? [...new Set(log.stdout.split('\n').filter((line) => line !== ''))] : []
      if (tips.includes(sha)) return true
      if (tips.length === 0) return false
      const missing = await run.attempt(['rev-list', '--max-count=1', '--stdin'], {
        reads: true,
        input: [sha, ...tips.map((tip) => `^${tip}`), ''].join('\n'),
      })
      if (missing.exitCode !== 0) throw run.failure('look through the log of a branch', missing)
      return missing.stdout.trim() === ''
    },

    async mergeBase(a, b) {
      const result = await run.attempt(['merge-base', a, b], { reads: true })
      if (result.exitCode === 0) return parseSha(result.stdout)
      if (result.exitCode === 1) return null
      throw run.failure('find the merge base', result)
    },
  }
}

const checkedOut = (branch: BranchName, worktree: string): ExomonadError =>
  new ExomonadError(
    'BRANCH_CHECKED_OUT',
    `The branch ${branch} is checked out at ${worktree}: it was not deleted.`,
    { branch, worktree },
  )

/** Throws INVALID_ARG for what would be an option to git. */
export function refuseOption(name: string): void {
  if (name.startsWith('-'))
    throw new ExomonadError(
      'INVALID_ARG',
      `"${name}" can’t be used here: a name must not begin with a dash.`,
      { found: name },
    )
}
