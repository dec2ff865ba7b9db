import { ExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Git } from '../git/git.ts'

/** What the remote’s branches are, and their commits made present here. */
export interface Branches {
  /**
   * Tips of these as the remote says now, in one request; what it has not is left out.
   * FORGE_UNAVAILABLE.
   */
  readonly tips: (wanted: readonly BranchName[]) => Promise<Map<BranchName, Sha>>
  /**
   * Fetches what is not here yet; pushes of agents come from worktrees of this repository, so that
   * this is rare.
   */
  readonly bringIn: (wanted: readonly { branch: BranchName; sha: Sha }[]) => Promise<void>
}

export function createBranches({ git, remote }: { git: Git; remote: string }): Branches {
  const present = new Set<Sha>()
  /** Those whose commits are not here. */
  const absent = async <Wanted extends { readonly sha: Sha }>(
    wanted: readonly Wanted[],
  ): Promise<Wanted[]> => {
    const unknown = wanted.filter(({ sha }) => !present.has(sha))
    for (const sha of await git.present([...new Set(unknown.map(({ sha }) => sha))]))
      present.add(sha)
    return unknown.filter(({ sha }) => !present.has(sha))
  }
  return {
    tips: (wanted) => git.remoteTips(remote, wanted),

    async bringIn(wanted) {
      const missing = await absent(wanted)
      if (missing.length === 0) return
      await git.fetch(remote, [...new Set(missing.map((one) => one.branch))])
      const still = new Set(await absent(missing))
      for (const one of missing) {
        const { branch, sha } = one
        if (still.has(one)) {
          throw new ExomonadError(
            'FORGE_UNAVAILABLE',
            `${branch} on ${remote} moved while it was read (${sha} is not there any more). Try again.`,
            {
              branch,
              sha,
            },
          )
        }
      }
    },
  }
}
