import type { BranchName, Sha } from '../../../domain/ids.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Branches } from '../branches.ts'
import type { GiteaForgeOptions } from './options.ts'

/**
 * Heads that had commits of their own when they were seen last. Gitea leaves a pull request open
 * whose commits somebody pushed to its base; that distinguishes it from a branch that was only
 * reset to its base.
 */
export interface SeenHeads {
  note(number: number, head: Sha): Promise<void>
  /** It has ended. */
  forget(number: number): Promise<void>
  /**
   * Whether what the pull request had is in its base by now. False where that can’t be determined.
   */
  isMerged(number: number, ends: Ends): Promise<boolean>
}

const keyOf = (number: number): string => `gitea:head:${number}`

export function createSeenHeads({
  git,
  store: { snapshots },
  branches,
}: Pick<GiteaForgeOptions, 'git' | 'store'> & { branches: Pick<Branches, 'bringIn'> }): SeenHeads {
  const note = async (number: number, head: Sha): Promise<void> => {
    if ((await snapshots.get(keyOf(number)))?.['head'] !== head)
      await snapshots.put(keyOf(number), { head })
  }
  return {
    note,
    forget: (number) => snapshots.remove(keyOf(number)),
    async isMerged(number, { head, base, headBranch, baseBranch }) {
      try {
        await branches.bringIn([
          { branch: headBranch, sha: head },
          { branch: baseBranch, sha: base },
        ])
      } catch (error) {
        if (!(error instanceof ExomonadError)) throw error
        return false
      }
      if (!(await git.isAncestor(head, base))) {
        await note(number, head)
        return false
      }
      const seen = (await snapshots.get(keyOf(number)))?.['head'] as Sha | undefined
      return seen !== undefined && (seen === head || (await git.isMerged(seen, base)))
    },
  }
}

/** Branch and commit of both ends. */
export interface Ends {
  readonly head: Sha
  readonly base: Sha
  readonly headBranch: BranchName
  readonly baseBranch: BranchName
}
