import type { BranchLock } from '../pulls/branch-lock.ts'
import type { Config } from '../../config/schema.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import type { MergeBase } from '../pulls/merge/base.ts'
import type { BranchPush } from '../pulls/push-branch.ts'
import { createGotFurther } from './rebase-progress.ts'
import type { StopBlocker } from './stop-check.ts'
import { createRemoteBranches } from './remote-branches.ts'
import { createRebaseNeed } from './rebase-need.ts'
import { createStopRebase } from './stop-rebase.ts'

/**
 * The second link of the stop check: the branch gets what its remote has (merged child pull
 * requests), then its parent’s progress. A conflict is left in progress for the agent; after
 * `stop.rebase_tries` it is aborted and the parent is asked.
 */
export interface StopSync {
  /** `over`: the agent was let go meanwhile, so that its worktree is left alone. */
  run(stop: Config['stop'], caller: Caller, over?: () => boolean): Promise<StopBlocker | undefined>
  /**
   * The agent stops in the middle of the rebase that was left to it: one more try, or, where it got
   * further since the last stop, the first anew.
   */
  unresolved(stop: Config['stop'], caller: Caller, files: readonly string[]): Promise<StopBlocker>
}

export function createStopSync(
  deps: Pick<Deps, 'store' | 'git' | 'forge' | 'publisher' | 'log'> & {
    mergeBase: Pick<MergeBase, 'publish'>
    branchPush: BranchPush
    branchLock: BranchLock
    ask: (caller: Caller, message: string) => Promise<unknown>
  },
): StopSync {
  const { store, git, branchLock } = deps
  const gotFurther = createGotFurther(deps)
  const { tracked, publishBase, fetchKnown, catchUp } = createRemoteBranches(deps)
  const { isBeingMerged, mergedHeads, startOf, staysAsFiled } = createRebaseNeed(deps)
  const { nextTry, rebase, settleOwn } = createStopRebase({ ...deps, gotFurther })

  const sync = async (
    stop: Config['stop'],
    caller: Caller,
    over: () => boolean,
  ): Promise<StopBlocker | undefined> => {
    const { agent } = caller
    const base = agent.baseBranch
    const local = await git.resolve(`refs/heads/${agent.branch}`)
    if (base === null || local === null) return undefined
    await publishBase(base)
    const fetched = await fetchKnown([
      base,
      ...((await tracked(agent.branch)) === null ? [] : [agent.branch]),
    ])
    if (over()) return undefined
    const own = fetched.includes(agent.branch) ? await tracked(agent.branch) : null
    const head = await catchUp(agent, local, own)
    if (typeof head !== 'string') return head
    const baseTip = await tracked(base)
    if (baseTip === null) return undefined
    if (await git.isAncestor(baseTip, head)) {
      await settleOwn(agent, base, { head, baseTip, own })
      return undefined
    }
    if (await isBeingMerged(agent)) return undefined
    const merged = await mergedHeads(agent)
    if (merged.includes(head)) return undefined
    const start = await startOf(agent, head, baseTip, merged)
    if (start === null || over() || (await staysAsFiled(stop, agent, head))) return undefined
    return rebase(stop, caller, base, baseTip, start, { head, pushed: own === head })
  }

  // Not while it is merged; and what the merge recorded meanwhile is read anew.
  const alone = <Result>(
    caller: Caller,
    work: (caller: Caller) => Promise<Result>,
  ): Promise<Result> =>
    branchLock(caller.agent.branch, async () =>
      work({ ...caller, agent: (await store.agents.get(caller.agent.id)) ?? caller.agent }),
    )

  return {
    run: (stop, caller, over = () => false) => alone(caller, (fresh) => sync(stop, fresh, over)),
    unresolved: (stop, caller, files) =>
      alone(caller, async (fresh) => {
        const goesOn = { kind: 'rebase_in_progress', files, operation: 'rebase' } as const
        if (await gotFurther(fresh.agent, files)) {
          await store.agents.update(fresh.agent.id, { rebaseTries: 1, stopBlocks: 0 })
          return goesOn
        }
        const tries = await nextTry(stop, fresh, fresh.agent.baseBranch ?? 'its base', files)
        return typeof tries === 'number' ? goesOn : tries
      }),
  }
}
