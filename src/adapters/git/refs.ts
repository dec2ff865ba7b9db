import { ExomonadError } from '../../domain/errors.ts'
import { asBranchName, parseSha, type BranchName, type Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import type { LookUp } from './look-up.ts'
import type { Mutex } from './mutex.ts'
import type { Run } from './run.ts'
import { parseWorktreeList } from './worktrees/worktree-list.ts'

type Refs = Pick<
  Git,
  | 'resolve'
  | 'present'
  | 'isValidBranchName'
  | 'branches'
  | 'deleteBranch'
  | 'hasHeld'
  | 'mergeBase'
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
  lookUp,
}: {
  run: Run
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

    async isValidBranchName(name) {
      // `@{-1}` is an instruction to this command, not a name.
      if (name === '' || name.includes('@{') || name.includes('\0')) return false
      const result = await run.attempt(['check-ref-format', '--branch', name], { reads: true })
      if (result.startError !== null) throw run.failure('check a branch name', result)
      return result.exitCode === 0
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

    deleteBranch: (branch, expected) =>
      lock(async () => {
        // update-ref, which compares before it deletes, would take the branch from under a
        // worktree.
        const worktrees = parseWorktreeList(
          await run.output('list the worktrees', ['worktree', 'list', '--porcelain', '-z'], {
            reads: true,
          }),
        )
        const holder = worktrees.find(
          (worktree) => worktree.branch === branch && !worktree.prunable && !worktree.bare,
        )
        if (holder !== undefined) {
          throw new ExomonadError(
            'BRANCH_CHECKED_OUT',
            `The branch ${branch} is checked out at ${holder.path}: it was not deleted.`,
            {
              branch,
              worktree: holder.path,
            },
          )
        }
        const result = await run.attempt([
          'update-ref',
          '--no-deref',
          '-d',
          `refs/heads/${branch}`,
          expected,
        ])
        if (result.exitCode === 0) {
          // Deleting the ref alone leaves `[branch "…"]` behind; that section is ours to take away
          // only because the branch is gone.
          await run.attempt(['config', '--local', '--remove-section', `branch.${branch}`])
          return true
        }
        if ((await resolve(`refs/heads/${branch}`)) !== expected) return false
        throw run.failure(`delete the branch ${branch}`, result)
      }),

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

/** Throws INVALID_ARG for what would be an option to git. */
export function refuseOption(name: string): void {
  if (name.startsWith('-'))
    throw new ExomonadError(
      'INVALID_ARG',
      `"${name}" can’t be used here: a name must not begin with a dash.`,
      { found: name },
    )
}
