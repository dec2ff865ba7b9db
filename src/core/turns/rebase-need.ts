import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import type { Sha } from '../../domain/ids.ts'
import { isBehind, isBehindBase } from '../pulls/behind.ts'
import type { Deps } from '../deps.ts'
import { isScheduled } from '../pulls/merge/journal.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { readPull } from '../pulls/read-pull.ts'

/** Whether a branch that lacks its base’s progress is rebased, and which commits of it. */
export interface RebaseNeed {
  /**
   * A merge of its pull request is under way: the base moves by its own work, which a rebase would
   * replay onto itself. What the forge merges once nothing stands against it may need just that.
   */
  isBeingMerged(agent: Agent): Promise<boolean>
  /**
   * Heads of it that its base has taken up, also squashed and by whomever. Asked after the fetch
   * and after the journal: a merge that the fetch saw is either still in the journal or known to
   * the forge.
   */
  mergedHeads(agent: Agent): Promise<Sha[]>
  /**
   * Where its own work starts: the latest of the commit that it shares with the base (a conflict
   * that the agent resolved itself has moved that without a record), the recorded one (which a base
   * that was rewritten lost) and what was merged of it before.
   */
  startOf(agent: Agent, head: Sha, baseTip: Sha, merged: readonly Sha[]): Promise<Sha | null>
  /**
   * What was filed, with nothing new since, is left where a rebase of it would cost new checks and
   * reviews, unless it can’t be merged as it is.
   */
  staysAsFiled(stop: Config['stop'], agent: Agent, head: Sha): Promise<boolean>
}

export function createRebaseNeed({
  store,
  git,
  forge,
}: Pick<Deps, 'store' | 'git' | 'forge'>): RebaseNeed {
  return {
    isBeingMerged: async (agent) =>
      (await store.journal.open()).some(
        (entry) =>
          entry.kind === 'merge' &&
          entry.data['head'] === agent.branch &&
          !(isScheduled(entry) && entry.data['scheduled'] === 'auto'),
      ),

    mergedHeads: async (agent) => {
      const own = (await knownPulls(store)).filter(
        (pull) => pull.head.branch === agent.branch && pull.state !== 'closed',
      )
      const now = await Promise.all(
        own.map(async (pull) => (pull.state === 'open' ? readPull(forge, pull.number) : pull)),
      )
      return now.flatMap((pull) =>
        pull.state === 'merged' && pull.base.branch === agent.baseBranch && pull.mergedHead !== null
          ? [pull.mergedHead]
          : [],
      )
    },

    startOf: async (agent, head, baseTip, merged) => {
      let start = await git.mergeBase(baseTip, head)
      for (const candidate of [agent.forkPoint, ...merged]) {
        if (
          candidate === null ||
          (await git.resolve(candidate)) === null ||
          !(await git.isAncestor(candidate, head))
        )
          continue
        if (start === null || !(await git.isAncestor(candidate, start))) start = candidate
      }
      return start
    },

    staysAsFiled: async (stop, agent, head) => {
      if (stop.rebase_filed === 'always' || forge.kind === 'local') return false
      const filed = (await knownPulls(store)).find(
        (pull) => pull.state === 'open' && pull.head.branch === agent.branch,
      )
      if (filed?.head.sha !== head || filed.mergeable === 'conflicting' || isBehindBase(filed))
        return false
      return !(await isBehind(store.snapshots, agent.branch, head))
    },
  }
}
