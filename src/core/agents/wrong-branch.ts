import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { BranchName } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'

/**
 * Its worktree is on another branch. A root may follow: where the tree grows is a person’s to say.
 */
export function wrongBranch(
  { kind: caller }: Caller,
  { kind, branch, worktree }: Agent,
  found: BranchName,
  then: string,
): ExomonadError {
  const stay = `Check out ${branch} there, then ${then}.`
  const move =
    caller === 'human'
      ? 'Or run `exomonad root move`'
      : 'Or have the person run `exomonad root move`'
  const message =
    kind === 'root'
      ? `${worktree} is on ${found}, and the tree grows from ${branch}. ${stay} ${move}: then it grows from ${found}, and the agents of ${branch} stay as they are.`
      : `${worktree} is on ${found}, not on ${branch}. ${stay}`
  return new ExomonadError('WRONG_BRANCH', message, { worktree, found, expected: branch })
}
