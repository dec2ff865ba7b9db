import { ExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Git } from '../git/git.ts'
import type { Branches } from './branches.ts'

interface Ends {
  readonly head: { readonly branch: BranchName; readonly sha: Sha }
  readonly base: { readonly branch: BranchName; readonly sha: Sha | null }
}

/**
 * Forges say that there is a conflict, and not where: git does. Empty where that can’t be
 * determined.
 */
export function createConflicts({
  git,
  branches,
}: {
  git: Pick<Git, 'mergeTree'>
  branches: Branches
}): (ends: Ends) => Promise<readonly string[]> {
  const known = new Map<string, readonly string[]>()
  return async ({ head, base }) => {
    if (base.sha === null) return []
    const key = `${base.sha} ${head.sha}`
    const before = known.get(key)
    if (before !== undefined) return before
    try {
      await branches.bringIn([head, { branch: base.branch, sha: base.sha }])
      const merged = await git.mergeTree(base.sha, head.sha)
      const files = merged.kind === 'conflict' ? merged.files : []
      if (known.size > 5_000) known.clear()
      known.set(key, files)
      return files
    } catch (error) {
      if (!(error instanceof ExomonadError)) throw error
      return []
    }
  }
}
