import { asExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/**
 * Deletes the branches of agents whose worktrees are gone, where they are at these tips still: here,
 * and at the forge, where nothing open is based on them. Returns those of whom git refused it; a
 * remote that can’t be asked keeps what it has.
 */
export type ForgetBranches = (
  agents: readonly Agent[],
  tips: ReadonlyMap<BranchName, Sha>,
) => Promise<Map<Agent, Error>>

export function createForgetBranches({
  git,
  forge,
  log,
}: Pick<Deps, 'git' | 'forge' | 'log'>): ForgetBranches {
  /** A forge closes what is based on a branch that goes, also what people filed. */
  const isNeeded = async (branch: BranchName): Promise<boolean> =>
    (await forge.find({ state: 'open', base: branch })).length > 0

  const atRemote = async (tips: ReadonlyMap<BranchName, Sha>): Promise<void> => {
    const there = await git.remoteTips(forge.remote, [...tips.keys()])
    const same = [...tips].filter(([branch, tip]) => there.get(branch) === tip)
    const needed = await Promise.all(same.map(([branch]) => isNeeded(branch)))
    await git.deleteRemoteBranches(
      forge.remote,
      new Map(same.filter((_, index) => needed[index] === false)),
    )
  }

  return async (agents, tips) => {
    const refused = new Map<Agent, Error>()
    const own = new Map<BranchName, Sha>()
    for (const { branch } of agents) {
      const tip = tips.get(branch)
      if (tip !== undefined) own.set(branch, tip)
    }
    if (own.size === 0) return refused
    const deleted = await git.deleteBranches(own).catch(asExomonadError)
    const refusalOf = (branch: BranchName): Error | undefined => {
      const outcome = deleted instanceof Error ? deleted : deleted.get(branch)
      return outcome instanceof Error ? outcome : undefined
    }
    for (const agent of agents) {
      const refusal = own.has(agent.branch) ? refusalOf(agent.branch) : undefined
      if (refusal !== undefined) refused.set(agent, refusal)
    }
    const gone = new Map([...own].filter(([branch]) => refusalOf(branch) === undefined))
    try {
      if (gone.size > 0) await atRemote(gone)
    } catch (thrown) {
      log.warn(
        { err: thrown, branches: [...gone.keys()] },
        'branches stay on the remote, which could not be asked',
      )
    }
    return refused
  }
}
