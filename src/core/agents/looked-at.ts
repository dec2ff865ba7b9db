import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { rebasedHeads } from '../../domain/rebased-heads.ts'
import type { Deps } from '../deps.ts'

/** So many commits are named. */
const NAMED = 5

/**
 * HEAD_CHANGED, naming the new commits, where the caller looked at another head than the present
 * one. One that exomonad itself rebased, commit for commit the same patches, is what was looked at:
 * returns that head then, else null.
 */
export type RequireLookedAt = (
  pull: PullRequestSnapshot,
  head: string | undefined,
) => Promise<string | null>

export function createRequireLookedAt({
  store,
  git,
  forge,
}: Pick<Deps, 'store' | 'git' | 'forge'>): RequireLookedAt {
  /** In words; nothing where git does not know them. */
  const newCommits = async (pull: PullRequestSnapshot, head: string): Promise<string[]> => {
    try {
      // Others' pushes are not here yet.
      if ((await git.resolve(pull.head.sha)) === null)
        await git.fetch(forge.remote, [pull.head.branch])
      const seen = await git.resolve(head)
      const commits = seen === null ? [] : await git.commits(seen, pull.head.sha, NAMED)
      return commits.map(
        ({ sha, subject, author }) =>
          `${sha.slice(0, 8)} ${subject} (${author.replace(/ <.*>$/, '')})`,
      )
    } catch {
      // What can't be named is new all the same.
      return []
    }
  }

  return async (pull, head) => {
    if (head === undefined || head === pull.head.sha) return null
    // A prefix that a person typed off a screen.
    if (head.length >= 7 && pull.head.sha.startsWith(head)) return null
    const { lineage } = await rebasedHeads(store.snapshots, pull.head.branch)
    const followed = lineage(pull.head.sha).find(
      (sha) => sha === head || (head.length >= 7 && sha.startsWith(head)),
    )
    if (followed !== undefined) return followed
    const commits = await newCommits(pull, head)
    throw new ExomonadError(
      'HEAD_CHANGED',
      `#${pull.number} got new commits since you looked at it${commits.length === 0 ? ` (${pull.head.sha.slice(0, 8)})` : `: ${commits.join('; ')}`}. Look at them (pr_diff), then try again.`,
      { number: pull.number, head: pull.head.sha, commits },
    )
  }
}
