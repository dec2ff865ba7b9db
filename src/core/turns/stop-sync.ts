import type { Agent } from '../../domain/records.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import { noteRebase } from '../../domain/rebased-heads.ts'
import { isBehind, isBehindBase } from '../pulls/behind.ts'
import type { BranchLock } from '../pulls/branch-lock.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import type { MergeBase } from '../pulls/merge/base.ts'
import { isScheduled } from '../pulls/merge/journal.ts'
import { ownerOf } from '../pulls/merge/settle.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { readPull } from '../pulls/pull-views.ts'
import type { BranchPush } from '../pulls/push-branch.ts'
import { createGotFurther, progressOf } from './rebase-progress.ts'
import type { StopBlocker } from './stop-check.ts'

/**
 * The second link of the stop check: the branch gets what its remote has (merged child pull
 * requests), then its parent’s progress. A conflict is left in progress for the agent; after
 * `stop.rebase_tries` it is aborted and the parent is asked.
 */
export interface StopSync {
  /** `over`: the agent was let go meanwhile, so that its worktree is left alone. */
  run(caller: Caller, over?: () => boolean): Promise<StopBlocker | undefined>
  /**
   * The agent stops in the middle of the rebase that was left to it: one more try, or, where it got
   * further since the last stop, the first anew.
   */
  unresolved(caller: Caller, files: readonly string[]): Promise<StopBlocker>
}

export function createStopSync({
  store,
  git,
  forge,
  publisher,
  settings,
  log,
  branchPush,
  branchLock,
  mergeBase,
  ask,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'publisher' | 'settings' | 'log'> & {
  mergeBase: Pick<MergeBase, 'publish'>
  branchPush: BranchPush
  branchLock: BranchLock
  ask: (caller: Caller, message: string) => Promise<unknown>
}): StopSync {
  const gotFurther = createGotFurther({ store, git })
  const tracked = (branch: string) => git.resolve(`refs/remotes/${forge.remote}/${branch}`)

  /** What its parent has committed itself, and nobody has pushed, is to reach it too. */
  const publishBase = async (base: BranchName): Promise<void> => {
    const [local, known] = await Promise.all([git.resolve(`refs/heads/${base}`), tracked(base)])
    if (
      local === null ||
      local === known ||
      (known !== null && (await git.isAncestor(local, known)))
    )
      return
    try {
      const reason = await mergeBase.publish(base, ownerOf(await store.agents.list(), base))
      if (reason !== undefined)
        log.info(
          { branch: base, reason },
          'commits of a base could not be pushed; its children go by what was',
        )
    } catch (thrown) {
      log.warn(
        { err: thrown, branch: base },
        'commits of a base could not be pushed; its children go by what was',
      )
    }
  }

  /**
   * Returns those that were fetched: the remote may lack some, which were never pushed, or deleted
   * there after a merge.
   */
  const fetchKnown = async (branches: readonly BranchName[]): Promise<readonly BranchName[]> => {
    if (branches.length === 0) return []
    try {
      await git.fetch(forge.remote, branches)
      return branches
    } catch (thrown) {
      const missing = asExomonadError(thrown).facts['branch']
      const others = branches.filter((branch) => branch !== missing)
      if (others.length === branches.length) throw thrown
      return fetchKnown(others)
    }
  }

  /** Returns the head afterwards, or the objection. `own`: what the remote has of the branch. */
  const catchUp = async (agent: Agent, head: Sha, own: Sha | null): Promise<Sha | StopBlocker> => {
    if (own === null || own === head || (await git.isAncestor(own, head))) return head
    if (await git.isAncestor(head, own)) {
      const result = await git.fastForward(agent.worktree, own)
      return result.kind === 'synced'
        ? result.head
        : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
    }
    // Neither contains the other: its own rewritten history, unless somebody else’s commits are
    // there.
    return (await branchPush.hasHeld(agent, own))
      ? head
      : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
  }

  /**
   * Counts a try; the objection that ends it where there were enough: the rebase is aborted and the
   * parent asked.
   */
  const nextTry = async (
    caller: Caller,
    base: string,
    files: readonly string[],
  ): Promise<number | StopBlocker> => {
    const { agent } = caller
    const { stop } = await settings.config()
    const tries = agent.rebaseTries + 1
    if (tries <= stop.rebase_tries) {
      await store.agents.update(agent.id, { rebaseTries: tries })
      return tries
    }
    await git.abortRebase(agent.worktree)
    await store.agents.update(agent.id, { rebaseTries: 0 })
    await store.snapshots.remove(progressOf(agent))
    await publisher.publish({
      type: 'rebase.aborted',
      agentId: agent.id,
      actor: 'daemon',
      payload: { branch: agent.branch, base, files: [...files] },
    })
    const where = files.length === 0 ? 'it was never finished' : `${files.join(', ')} conflict`
    await ask(
      caller,
      `I can’t rebase ${agent.branch} onto ${base}: ${where}, after ${stop.rebase_tries} tries. My branch is as it was. How should the two be brought together?`,
    )
    return { kind: 'rebase_given_up', files, base, tries: stop.rebase_tries }
  }

  const unnotedOf = ({ branch }: Agent): string => `rebased:${branch}`

  /**
   * Pushes what a rebase came to; told and noted in one step after that. Whoever is cut off in
   * between leaves word of it for the next stop.
   */
  const pushRebased = async (
    agent: Agent,
    actor: Agent['id'] | 'daemon',
    facts: { base: string; onto: Sha; head: Sha; from?: Sha },
  ): Promise<void> => {
    await store.snapshots.put(unnotedOf(agent), { onto: facts.onto, actor })
    await branchPush.push(agent, facts.head)
    await store.transaction(async (tx) => {
      await tx.agents.update(agent.id, { forkPoint: facts.onto, rebaseTries: 0 })
      await tx.snapshots.remove(unnotedOf(agent))
      await tx.snapshots.remove(progressOf(agent))
      await publisher.publish(
        {
          type: 'rebase.done',
          agentId: agent.id,
          actor,
          payload: { branch: agent.branch, ...facts },
        },
        tx,
      )
    })
  }

  /**
   * Whether each commit is the same patch as before; not to be told of one that git refuses to
   * compare.
   */
  const keepsPatches = async (
    before: { base: Sha; head: Sha },
    after: { base: Sha; head: Sha },
  ): Promise<boolean> => {
    const [old, rebased] = await Promise.all([
      git.patchIds(before.base, before.head),
      git.patchIds(after.base, after.head),
    ])
    return old.length > 0 && old.join() === rebased.join()
  }

  /**
   * What was filed, with nothing new since, is left where a rebase of it would cost new checks and
   * reviews, unless it can’t be merged as it is.
   */
  const staysAsFiled = async (agent: Agent, head: Sha): Promise<boolean> => {
    const { stop } = await settings.config()
    if (stop.rebase_filed === 'always' || forge.kind === 'local') return false
    const filed = (await knownPulls(store)).find(
      (pull) => pull.state === 'open' && pull.head.branch === agent.branch,
    )
    if (filed?.head.sha !== head || filed.mergeable === 'conflicting' || isBehindBase(filed))
      return false
    return !(await isBehind(store.snapshots, agent.branch, head))
  }

  const rebase = async (
    caller: Caller,
    base: string,
    baseTip: Sha,
    forkPoint: Sha,
    before: { head: Sha; pushed: boolean },
  ): Promise<StopBlocker | undefined> => {
    const { agent } = caller
    const result = await git.rebase(agent.worktree, { onto: baseTip, forkPoint })
    if (result.kind === 'conflict') {
      const tries = await nextTry(caller, base, result.files)
      if (typeof tries !== 'number') return tries
      await gotFurther(agent, result.files)
      await publisher.publish({
        type: 'rebase.conflict',
        agentId: agent.id,
        actor: 'daemon',
        payload: { branch: agent.branch, base, files: [...result.files], tries },
      })
      return { kind: 'rebase_conflict', files: result.files, base, tries }
    }
    const head =
      result.kind === 'rebased' ? result.head : await git.resolve(`refs/heads/${agent.branch}`)
    if (head === null) return undefined
    const same =
      before.pushed &&
      head !== before.head &&
      (await keepsPatches({ base: forkPoint, head: before.head }, { base: baseTip, head }))
    if (same) await noteRebase(store.snapshots, agent.branch, { from: before.head, to: head })
    await pushRebased(agent, 'daemon', {
      base,
      onto: baseTip,
      head,
      ...(same ? { from: before.head } : {}),
    })
    return undefined
  }

  /**
   * A merge of its pull request is under way: the base moves by its own work, which a rebase would
   * replay onto itself. What the forge merges once nothing stands against it may need just that.
   */
  const isBeingMerged = async (agent: Agent): Promise<boolean> =>
    (await store.journal.open()).some(
      (entry) =>
        entry.kind === 'merge' &&
        entry.data['head'] === agent.branch &&
        !(isScheduled(entry) && entry.data['scheduled'] === 'auto'),
    )

  /**
   * Heads of it that its base has taken up, also squashed and by whomever. Asked after the fetch
   * and after the journal: a merge that the fetch saw is either still in the journal or known to
   * the forge.
   */
  const mergedHeads = async (agent: Agent): Promise<Sha[]> => {
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
  }

  /**
   * Where its own work starts: the latest of the commit that it shares with the base (a conflict
   * that the agent resolved itself has moved that without a record), the recorded one (which a base
   * that was rewritten lost) and what was merged of it before.
   */
  const startOf = async (
    agent: Agent,
    head: Sha,
    baseTip: Sha,
    merged: readonly Sha[],
  ): Promise<Sha | null> => {
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
  }

  /**
   * The branch contains its base. Where the agent brought that in itself (it resolved a conflict,
   * or rebased of its own accord), the remote still has what was there before, and nobody else
   * would push it.
   */
  const settleOwn = async (
    agent: Agent,
    base: BranchName,
    facts: { head: Sha; baseTip: Sha; own: Sha | null },
  ): Promise<void> => {
    const { head, baseTip, own } = facts
    const lacksBase = own !== null && own !== head && !(await git.isAncestor(baseTip, own))
    const rewritten = own !== null && own !== head && !(await git.isAncestor(own, head))
    const unnoted = await store.snapshots.get(unnotedOf(agent))
    const cutOff = unnoted?.['onto'] === baseTip
    if (agent.rebaseTries === 0 && !lacksBase && !rewritten && !cutOff) {
      if (agent.forkPoint !== baseTip) await store.agents.update(agent.id, { forkPoint: baseTip })
      return
    }
    await pushRebased(agent, cutOff && unnoted['actor'] === 'daemon' ? 'daemon' : agent.id, {
      base,
      onto: baseTip,
      head,
    })
  }

  const sync = async (caller: Caller, over: () => boolean): Promise<StopBlocker | undefined> => {
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
    if (start === null || over() || (await staysAsFiled(agent, head))) return undefined
    return rebase(caller, base, baseTip, start, { head, pushed: own === head })
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
    run: (caller, over = () => false) => alone(caller, (fresh) => sync(fresh, over)),
    unresolved: (caller, files) =>
      alone(caller, async (fresh) => {
        const goesOn = { kind: 'rebase_in_progress', files, operation: 'rebase' } as const
        if (await gotFurther(fresh.agent, files)) {
          await store.agents.update(fresh.agent.id, { rebaseTries: 1, stopBlocks: 0 })
          return goesOn
        }
        const tries = await nextTry(fresh, fresh.agent.baseBranch ?? 'its base', files)
        return typeof tries === 'number' ? goesOn : tries
      }),
  }
}
