import type { Agent } from '../adapters/store/store.ts'
import { asExomonadError } from '../errors.ts'
import type { BranchName, Sha } from '../ids.ts'
import type { BranchLock } from './branch-lock.ts'
import type { Caller } from './core.ts'
import type { Deps } from './deps.ts'
import { knownPulls } from './pull-records.ts'
import { readPull } from './pull-views.ts'
import type { BranchPush } from './push-branch.ts'
import type { Objection } from './stop-check.ts'

/**
 * The second link of the stop check: the branch gets what its remote has (merged child pull requests), then its parent’s progress.
 * A conflict is left in progress for the agent; after `stop.rebase_tries` it is aborted and the parent is asked.
 */
export interface StopSync {
  run(caller: Caller): Promise<Objection | undefined>
  /** The agent stops in the middle of the rebase that was left to it: one more try. Undefined where it was the last, and the tree is as it was. */
  unresolved(caller: Caller, files: readonly string[]): Promise<Objection | undefined>
}

export function createStopSync({
  store,
  git,
  forge,
  publisher,
  settings,
  branchPush,
  branchLock,
  ask,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'publisher' | 'settings'> & {
  branchPush: BranchPush
  branchLock: BranchLock
  ask: (caller: Caller, message: string) => Promise<unknown>
}): StopSync {
  const tracked = (branch: string) => git.resolve(`refs/remotes/${forge.remote}/${branch}`)

  /** Branches that the remote lacks (never pushed, or deleted there after a merge) have nothing to bring. */
  const fetchKnown = async (branches: readonly BranchName[]): Promise<void> => {
    try {
      await git.fetch(forge.remote, branches)
    } catch (thrown) {
      const missing = asExomonadError(thrown).facts['branch']
      const others = branches.filter((branch) => branch !== missing)
      if (others.length === branches.length) throw thrown
      if (others.length > 0) await fetchKnown(others)
    }
  }

  /** Answers the head afterwards, or the objection. */
  const catchUp = async (agent: Agent, head: Sha): Promise<Sha | Objection> => {
    const own = await tracked(agent.branch)
    if (own === null || own === head || (await git.isAncestor(own, head))) return head
    if (await git.isAncestor(head, own)) {
      const result = await git.fastForward(agent.worktree, own)
      return result.kind === 'synced' ? result.head : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
    }
    // Neither contains the other: its own rewritten history, unless somebody else’s commits are there.
    return (await branchPush.recorded(agent)).has(own) ? head : { kind: 'diverged', branch: agent.branch, remote: forge.remote }
  }

  /** Counts a try; undefined where there were enough: the rebase is aborted and the parent asked. */
  const nextTry = async (caller: Caller, base: string, files: readonly string[]): Promise<number | undefined> => {
    const { agent } = caller
    const { stop } = await settings.config()
    const tries = agent.rebaseTries + 1
    if (tries <= stop.rebase_tries) {
      await store.agents.update(agent.id, { rebaseTries: tries })
      return tries
    }
    await git.abortRebase(agent.worktree)
    await store.agents.update(agent.id, { rebaseTries: 0 })
    await publisher.publish({ type: 'rebase.aborted', agentId: agent.id, actor: 'daemon', payload: { branch: agent.branch, base, files: [...files] } })
    const where = files.length === 0 ? 'it was never finished' : `${files.join(', ')} conflict`
    await ask(
      caller,
      `I can’t rebase ${agent.branch} onto ${base}: ${where}, after ${stop.rebase_tries} tries. My branch is as it was. How should the two be brought together?`,
    )
    return undefined
  }

  const rebase = async (caller: Caller, base: string, baseTip: Sha, forkPoint: Sha): Promise<Objection | undefined> => {
    const { agent } = caller
    const result = await git.rebase(agent.worktree, { onto: baseTip, forkPoint })
    if (result.kind === 'conflict') {
      const tries = await nextTry(caller, base, result.files)
      if (tries === undefined) return undefined
      await publisher.publish({
        type: 'rebase.conflict',
        agentId: agent.id,
        actor: 'daemon',
        payload: { branch: agent.branch, base, files: [...result.files], tries },
      })
      return { kind: 'rebase_conflict', files: result.files, base, tries }
    }
    const head = result.kind === 'rebased' ? result.head : await git.resolve(`refs/heads/${agent.branch}`)
    await store.agents.update(agent.id, { forkPoint: baseTip, rebaseTries: 0 })
    if (head !== null) await branchPush.push(agent, head)
    await publisher.publish({
      type: 'rebase.done',
      agentId: agent.id,
      actor: 'daemon',
      payload: { branch: agent.branch, base, onto: baseTip, head: head ?? baseTip },
    })
    return undefined
  }

  /**
   * Its pull request is being merged, or was since the check began: the base moved by its own work, which a rebase would replay onto itself.
   * Asked after the fetch: a merge that the fetch saw is either still in the journal or known to the forge.
   */
  const mergedMeanwhile = async (agent: Agent, head: Sha): Promise<boolean> => {
    if ((await store.journal.open()).some((entry) => entry.kind === 'merge' && entry.data['head'] === agent.branch)) return true
    const own = (await knownPulls(store)).findLast((pull) => pull.head.branch === agent.branch)
    if (own === undefined) return false
    const fresh = await readPull(forge, own.number)
    return fresh.state === 'merged' && fresh.mergedHead === head
  }

  const sync: StopSync['run'] = async (caller) => {
    const { agent } = caller
    const base = agent.baseBranch
    const local = await git.resolve(`refs/heads/${agent.branch}`)
    if (base === null || local === null) return undefined
    await fetchKnown([base, ...((await tracked(agent.branch)) === null ? [] : [agent.branch])])
    const head = await catchUp(agent, local)
    if (typeof head !== 'string') return head
    const baseTip = await tracked(base)
    if (baseTip === null) return undefined
    if (await git.isAncestor(baseTip, head)) {
      // Also how a conflict ends that the agent resolved itself: its branch contains the base, and is to be pushed.
      if (agent.forkPoint !== baseTip || agent.rebaseTries > 0) {
        await store.agents.update(agent.id, { forkPoint: baseTip, rebaseTries: 0 })
        if (agent.rebaseTries > 0) {
          await branchPush.push(agent, head)
          await publisher.publish({ type: 'rebase.done', agentId: agent.id, actor: agent.id, payload: { branch: agent.branch, base, onto: baseTip, head } })
        }
      }
      return undefined
    }
    if (await mergedMeanwhile(agent, head)) return undefined
    // The later of the two: a conflict that the agent resolved itself has moved the fork point without a record, a base that was rewritten lost it.
    const shared = await git.mergeBase(baseTip, head)
    const recorded = agent.forkPoint !== null && (await git.isAncestor(agent.forkPoint, head)) ? agent.forkPoint : null
    const forkPoint = recorded !== null && (shared === null || !(await git.isAncestor(recorded, shared))) ? recorded : shared
    return forkPoint === null ? undefined : rebase(caller, base, baseTip, forkPoint)
  }

  // Not while it is merged; and what the merge recorded meanwhile is read anew.
  const alone = <Result>(caller: Caller, work: (caller: Caller) => Promise<Result>): Promise<Result> =>
    branchLock(caller.agent.branch, async () => work({ ...caller, agent: (await store.agents.get(caller.agent.id)) ?? caller.agent }))

  return {
    run: (caller) => alone(caller, sync),
    unresolved: (caller, files) =>
      alone(caller, async (fresh) =>
        (await nextTry(fresh, fresh.agent.baseBranch ?? 'its base', files)) === undefined
          ? undefined
          : { kind: 'rebase_in_progress', files, operation: 'rebase' },
      ),
  }
}
