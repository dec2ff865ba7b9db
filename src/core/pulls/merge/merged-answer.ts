import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Agent } from '../../../domain/records.ts'
import type { MergedPull } from '../pull-documents.ts'
import type { Deps } from '../../deps.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import { nextStep } from './words.ts'
import { knownPulls, mergedBranches } from '../pull-records.ts'

/** Says that it is merged: the commit on its base, and what else moved or could not. */
export type MergedAnswer = (
  sha: string,
  retargeted: readonly number[],
  pullError: string | undefined,
) => Promise<MergedPull>

/** The result of a merge once it is one. `agents`: all there were when it began. */
export const createMergedAnswer =
  ({ store, forge }: Pick<Deps, 'store' | 'forge'>) =>
  (facts: {
    readonly pull: PullRequestSnapshot
    readonly child: Agent | undefined
    readonly agents: readonly Agent[]
    readonly followed: string | null
    /** How it was merged, where that is not the usual way. */
    readonly instead: string | null
  }): MergedAnswer =>
  async (sha, retargeted, pullError) => {
    const { pull, child, agents, followed, instead } = facts
    const over = mergedBranches(await knownPulls(store))
    const siblings = agents.filter(
      (agent) =>
        agent.baseBranch === pull.base.branch &&
        agent.id !== child?.id &&
        agent.ownsWorktree &&
        isAlive(agent.state) &&
        !over.has(agent.branch),
    )
    return {
      merged: true,
      state: 'merged',
      sha,
      local_synced: pullError === undefined,
      ...(pullError === undefined ? {} : { pull_error: pullError }),
      ...(followed === null ? {} : { rebased_from: followed }),
      retargeted: [...retargeted],
      siblings_behind: siblings.map((agent) => agent.branch),
      next: nextStep({
        base: pull.base.branch,
        remote: forge.remote,
        pullError,
        siblings: siblings.length,
        child,
        agents,
        followed,
        instead,
      }),
    }
  }
