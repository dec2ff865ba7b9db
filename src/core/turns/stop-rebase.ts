import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import { noteRebase } from '../../domain/rebased-heads.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import type { BranchPush } from '../pulls/push-branch.ts'
import { progressOf, type createGotFurther } from './rebase-progress.ts'
import type { StopBlocker } from './stop-check.ts'

/** A rebase at a stop, with its tries, and what is reported and noted of it. */
export interface StopRebase {
  /**
   * Counts a try; the objection that ends it where there were enough: the rebase is aborted and the
   * parent asked.
   */
  nextTry(
    stop: Config['stop'],
    caller: Caller,
    base: string,
    files: readonly string[],
  ): Promise<number | StopBlocker>
  /** Its own commits from `forkPoint` on, onto `baseTip`. A conflict is left in progress. */
  rebase(
    stop: Config['stop'],
    caller: Caller,
    base: string,
    baseTip: Sha,
    forkPoint: Sha,
    before: { head: Sha; pushed: boolean },
  ): Promise<StopBlocker | undefined>
  /**
   * The branch contains its base. Where the agent brought that in itself (it resolved a conflict,
   * or rebased of its own accord), the remote still has what was there before, and nobody else
   * would push it.
   */
  settleOwn(
    agent: Agent,
    base: BranchName,
    facts: { head: Sha; baseTip: Sha; own: Sha | null },
  ): Promise<void>
}

export function createStopRebase({
  store,
  git,
  publisher,
  branchPush,
  gotFurther,
  ask,
}: Pick<Deps, 'store' | 'git' | 'publisher'> & {
  branchPush: BranchPush
  gotFurther: ReturnType<typeof createGotFurther>
  ask: (caller: Caller, message: string) => Promise<unknown>
}): StopRebase {
  const nextTry = async (
    stop: Config['stop'],
    caller: Caller,
    base: string,
    files: readonly string[],
  ): Promise<number | StopBlocker> => {
    const { agent } = caller
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
   * Pushes what a rebase came to; reported and noted in one step after that. Whoever is cut off in
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
   * Whether each commit is the same patch as before; that can’t be determined for one that git
   * refuses to compare.
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

  const rebase = async (
    stop: Config['stop'],
    caller: Caller,
    base: string,
    baseTip: Sha,
    forkPoint: Sha,
    before: { head: Sha; pushed: boolean },
  ): Promise<StopBlocker | undefined> => {
    const { agent } = caller
    const result = await git.rebase(agent.worktree, { onto: baseTip, forkPoint })
    if (result.kind === 'conflict') {
      const tries = await nextTry(stop, caller, base, result.files)
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

  return { nextTry, rebase, settleOwn }
}
