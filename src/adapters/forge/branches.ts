import { ExomonadError } from '../../errors.ts'
import type { BranchName, Sha } from '../../ids.ts'
import type { Git } from '../git/git.ts'

/** What the remote’s branches are, and their commits made present here. */
export interface Branches {
  /** Tips as the remote says now, in one request. FORGE_UNAVAILABLE. */
  readonly tips: () => Promise<Map<BranchName, Sha>>
  /** Fetches what is not here yet; pushes of agents come from worktrees of this repository, so that this is rare. */
  readonly bringIn: (wanted: readonly { branch: BranchName; sha: Sha }[]) => Promise<void>
}

export function createBranches({ git, remote }: { git: Git; remote: string }): Branches {
  const present = new Set<Sha>()
  return {
    tips: () => git.remoteTips(remote),

    async bringIn(wanted) {
      const missing: { branch: BranchName; sha: Sha }[] = []
      for (const one of wanted) {
        if (present.has(one.sha)) continue
        if ((await git.resolve(one.sha)) === null) missing.push(one)
        else present.add(one.sha)
      }
      if (missing.length === 0) return
      await git.fetch(remote, [...new Set(missing.map((one) => one.branch))])
      for (const { branch, sha } of missing) {
        if ((await git.resolve(sha)) === null) {
          throw new ExomonadError('FORGE_UNAVAILABLE', `${branch} on ${remote} moved while it was read (${sha} is not there any more). Try again.`, {
            branch,
            sha,
          })
        }
        present.add(sha)
      }
    },
  }
}
