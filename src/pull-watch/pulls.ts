import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { BranchName, Sha } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'

/** Branches and commits that may have changed. */
export interface ChangedRefs {
  readonly branches: readonly string[]
  readonly shas: readonly string[]
}

/** The open pull requests of the tree, in memory, as far as following them needs it. */
export interface FollowedPulls {
  /** As it was just seen; ended ones are followed no longer. */
  seen(pull: PullRequestSnapshot): void
  has(number: number): boolean
  drop(number: number): void
  numbers(): number[]
  hasHead(branch: BranchName): boolean
  /** It had one that was seen to end, or is known to have ended. */
  hasEnded(branch: BranchName): boolean
  /** Those whose head or base that is. */
  at(changed: ChangedRefs): number[]
}

interface Followed {
  readonly head: BranchName
  readonly base: BranchName
  readonly sha: Sha
}

export function createFollowedPulls(log: Log): FollowedPulls {
  const followed = new Map<number, Followed>()
  const ended = new Set<BranchName>()
  const warned = new Set<string>()

  /** GitHub lets a branch have several, with different bases; an agent has one. */
  const warnOfSecond = (pull: PullRequestSnapshot): void => {
    for (const [number, { head }] of followed) {
      const both = [number, pull.number].sort((a, b) => a - b).join()
      if (number === pull.number || head !== pull.head.branch || warned.has(both)) continue
      warned.add(both)
      log.warn(
        { numbers: both, branch: head },
        'two open pull requests have the same head; both are followed, and the newest is taken for the agent’s own',
      )
    }
  }

  return {
    seen: (pull) => {
      if (pull.state === 'open') {
        warnOfSecond(pull)
        followed.set(pull.number, {
          head: pull.head.branch,
          base: pull.base.branch,
          sha: pull.head.sha,
        })
        ended.delete(pull.head.branch)
      } else {
        followed.delete(pull.number)
        ended.add(pull.head.branch)
      }
    },
    has: (number) => followed.has(number),
    drop: (number) => void followed.delete(number),
    numbers: () => [...followed.keys()],
    hasHead: (branch) => [...followed.values()].some(({ head }) => head === branch),
    hasEnded: (branch) => ended.has(branch),
    at: ({ branches, shas }) =>
      [...followed]
        .filter(
          ([, { head, base, sha }]) =>
            branches.includes(head) || branches.includes(base) || shas.includes(sha),
        )
        .map(([number]) => number),
  }
}
