import { FORGE_NAMES } from '../../../domain/forge-kinds.ts'
import type { FastForwardResult } from '../../../adapters/git/git.ts'
import type { Agent } from '../../../domain/records.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import type { BranchPush } from '../push-branch.ts'

/**
 * The base of a merge, on the remote before it and in its worktree afterwards. Both return words
 * where that was not possible.
 */
export interface MergeBase {
  /**
   * Commits that the parent made itself and has not pushed go first, or the merge would leave them
   * behind.
   */
  publish(base: BranchName, owner: Agent | undefined): Promise<string | undefined>
  /**
   * Brings the merge into the worktree that the base is checked out in, where that is a plain
   * fast-forward. `owner`: whose it should be.
   */
  sync(base: BranchName, owner: Pick<Agent, 'worktree'> | undefined): Promise<string | undefined>
}

/** How often a base that others push to as well is pushed. */
const TRIES = 3

const ELSEWHERE: FastForwardResult = { kind: 'elsewhere' }

/** `MergeBase.sync`, which needs nothing else. */
export function createBaseSync({
  git,
  forge,
  log,
}: Pick<Deps, 'git' | 'forge' | 'log'>): MergeBase['sync'] {
  const syncWhereItIs = async (base: BranchName, tip: Sha): Promise<FastForwardResult> => {
    const worktree = (await git.worktrees()).find(
      (entry) => entry.branch === base && !entry.prunable,
    )
    return worktree === undefined ? ELSEWHERE : git.fastForward(worktree.path, tip)
  }

  return async (base, owner) => {
    try {
      await git.fetch(forge.remote, [base])
      const tip = await git.resolve(`refs/remotes/${forge.remote}/${base}`)
      if (tip === null) return `${base} is not on ${forge.remote}`
      const expected =
        owner === undefined ? ELSEWHERE : await git.fastForward(owner.worktree, tip, base)
      const result = expected.kind === 'elsewhere' ? await syncWhereItIs(base, tip) : expected
      if (result.kind === 'synced') return undefined
      if (result.kind === 'not_synced') return result.reason
      return `${base} is checked out nowhere${(await git.advanceBranch(base, forge.remote)) ? '; the branch here has it' : ''}`
    } catch (thrown) {
      log.warn({ err: thrown, base }, 'bringing a merge into the worktree failed')
      return thrown instanceof Error ? thrown.message : String(thrown)
    }
  }
}

export function createMergeBase({
  git,
  forge,
  log,
  branchPush,
}: Pick<Deps, 'git' | 'forge' | 'log'> & { branchPush: BranchPush }): MergeBase {
  return {
    publish: async (base, owner) => {
      const local = await git.resolve(`refs/heads/${base}`)
      const remote = await git.remoteTip(forge.remote, base)
      if (local === null || local === remote) return undefined
      if (remote !== null && (await git.resolve(remote)) === null)
        await git.fetch(forge.remote, [base])
      if (remote !== null && (await git.isAncestor(local, remote))) return undefined
      // An agent’s own branch goes by its own rules: what it rewrote itself replaces what it had
      // pushed.
      if (owner?.ownsWorktree === true) {
        try {
          await branchPush.push(owner, local)
          return undefined
        } catch (thrown) {
          const error = asExomonadError(thrown)
          const { reason } = error.facts
          if (
            error.code !== 'HEAD_CHANGED' &&
            (error.code !== 'FORGE_DENIED' || typeof reason !== 'string')
          )
            throw thrown
          return typeof reason === 'string'
            ? reason
            : `${base} here and on ${forge.remote} have diverged`
        }
      }
      if (remote !== null && !(await git.isAncestor(remote, local)))
        return `${base} here and on ${forge.remote} have diverged`
      // Where others see it, a person’s branch is theirs to push.
      if (forge.kind !== 'local' && remote !== null) {
        const commits = await git.countCommits(remote, local)
        return `${base} has ${commits} commit${commits === 1 ? '' : 's'} here that ${commits === 1 ? 'is' : 'are'} not on ${FORGE_NAMES[forge.kind]}, and exomonad does not push ${commits === 1 ? 'it' : 'them'} for you`
      }
      for (let [expected, tries] = [remote, 1]; ; tries++) {
        const pushed = await git.push(forge.remote, { sha: local, branch: base, expected })
        if (pushed.kind === 'pushed') return undefined
        const now = await git.remoteTip(forge.remote, base)
        if (now === null || now === expected || (await git.resolve(now)) === null)
          return pushed.reason
        // The stop check of a child, or a look at what was merged by hand, brought the same there
        // meanwhile, or the earlier ones of these commits.
        if (await git.isAncestor(local, now)) return undefined
        if (tries === TRIES || !(await git.isAncestor(now, local))) return pushed.reason
        expected = now
      }
    },

    sync: createBaseSync({ git, forge, log }),
  }
}
