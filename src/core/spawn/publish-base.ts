import { FORGE_NAMES } from '../../domain/forge-kinds.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import type { Base } from './spawn-base.ts'

/** Nothing is spawned that could never come back: its pull request needs the base there. */
function neverFiled(branch: BranchName, remote: string, said: string): ExomonadError {
  const cause = said.split(' | ')[0] ?? said
  return new ExomonadError(
    'SPAWN_FAILED',
    `Nothing was spawned: ${branch} can’t be pushed to ${remote}, so that no work from it could be filed. git says: ${cause}. \`exomonad doctor\` makes the same push.`,
    { branch, remote, git: said },
  )
}

/**
 * The forge’s remote gets the base where it lacks commits of it; returns a warning where that isn’t
 * possible now, and throws SPAWN_FAILED with git’s own words where it never will be: what would be
 * made from it could not be filed.
 */
export type PublishBase = (caller: Caller, base: Base) => Promise<string | null>

export function createPublishBase({ git, forge }: Pick<Deps, 'git' | 'forge'>): PublishBase {
  /**
   * What the forge has of the base, and this branch doesn’t follow from, can still be filed
   * against: a person amended what was pushed, or work was merged meanwhile. Not so without a
   * commit that both have, as after a cut-off history was fetched anew: that can never be merged.
   * Of an agent’s own branch what it replaced goes before the merge.
   */
  const canBeFiled = async (caller: Caller, base: Base, there: Sha): Promise<boolean> =>
    (await git.mergeBase(there, base.sha)) !== null ||
    (caller.agent.kind !== 'root' && (await git.hasHeld(base.branch, there)))

  /** The forge’s remote has it, and lacks commits of it. */
  const isBehind = async ({ branch, sha }: Base): Promise<boolean> => {
    const there = await git.remoteTip(forge.remote, branch)
    return (
      there !== null &&
      there !== sha &&
      (await git.resolve(there)) !== null &&
      (await git.isAncestor(there, sha))
    )
  }

  /**
   * What a refused push of the base means on a forge of this machine: a warning only where both
   * sides have gone on from a commit that they share.
   */
  const refusedHere = async (
    caller: Caller,
    base: Base,
    { reason, cause }: { reason: string; cause: string },
  ): Promise<string | null> => {
    if ((await git.remoteTip(forge.remote, base.branch)) === null)
      throw neverFiled(base.branch, forge.remote, cause)
    await git.fetch(forge.remote, [base.branch])
    const there = await git.resolve(`refs/remotes/${forge.remote}/${base.branch}`)
    if (there !== null && (await git.isAncestor(base.sha, there))) return null
    if (
      there === null ||
      (await git.isAncestor(there, base.sha)) ||
      !(await canBeFiled(caller, base, there))
    )
      throw neverFiled(base.branch, forge.remote, cause)
    return `${base.branch} could not be pushed to ${forge.remote}: ${reason}`
  }

  return async (caller, base) => {
    try {
      const known = await git.resolve(`refs/remotes/${forge.remote}/${base.branch}`)
      if (known === base.sha) return null
      if (
        known !== null &&
        !(await git.isAncestor(known, base.sha)) &&
        (forge.kind !== 'local' || (await canBeFiled(caller, base, known)))
      )
        return null
      // Where others see it, a person’s branch is theirs to push.
      if (forge.kind !== 'local' && caller.agent.kind === 'root' && known !== null) {
        const commits = await git.countCommits(known, base.sha)
        const these = commits === 1 ? 'a commit that is' : `${commits} commits that are`
        return `${base.branch} has ${these} not on ${FORGE_NAMES[forge.kind]}: pull requests against it will show ${commits === 1 ? 'it' : 'them'} as well. Push ${base.branch} yourself.`
      }
      const push = () => git.push(forge.remote, { sha: base.sha, branch: base.branch })
      const first = await push()
      // The stop check of an agent may have brought earlier commits of it there in that moment.
      const result = first.kind === 'rejected' && (await isBehind(base)) ? await push() : first
      if (result.kind === 'pushed') return null
      if (forge.kind === 'local') return await refusedHere(caller, base, result)
      if ((await git.remoteTip(forge.remote, base.branch)) === null)
        throw neverFiled(base.branch, forge.remote, result.cause)
      return `${base.branch} could not be pushed to ${forge.remote}: ${result.reason}`
    } catch (thrown) {
      const error = asExomonadError(thrown)
      if (error.code === 'SPAWN_FAILED') throw error
      // A forge of this machine never fails for a while: what it can’t take now it can’t take later.
      if (
        forge.kind === 'local' &&
        (error.code === 'GIT_FAILED' || error.code === 'FORGE_UNAVAILABLE')
      )
        throw neverFiled(base.branch, forge.remote, String(error.facts['git'] ?? error.message))
      return `${base.branch} could not be pushed to ${forge.remote}: ${error.message}`
    }
  }
}
