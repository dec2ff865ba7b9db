import { sharesBranch } from '../../../domain/agent-kinds.ts'
import type { Forge, PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeResult, MergeScheduled } from '../../../adapters/forge/merging.ts'
import type { Agent, JournalEntry } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import {
  asBranchName,
  parseSha,
  type Actor,
  type BranchName,
  type Sha,
} from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import { noteLanded } from '../../fold/landed.ts'
import { mergeAttempt } from './attempts.ts'
import type { MergeBase } from './base.ts'
import type { MergeIntent, WriteStep } from './journal.ts'
import type { Retargeting } from './retarget.ts'

type Merged = Extract<MergeResult, { kind: 'merged' }>

/**
 * What follows once the forge has merged, and what is made of a merge whose outcome nobody knows.
 */
export interface MergeSettling {
  /**
   * Records the merge, brings it into the parent’s worktree (unless `sync` is false: of several it
   * is done once), deletes the head branch where that was asked for. Returns why the worktree lacks
   * it.
   */
  complete(
    journal: string,
    intent: MergeIntent,
    merged: Merged,
    options?: { readonly sync?: boolean },
  ): Promise<string | undefined>
  /**
   * The forge merges it by itself in a while: what was pointed to its base goes back until then.
   */
  schedule(journal: string, intent: MergeIntent, result: MergeScheduled): Promise<void>
  /**
   * Asks the forge: a merge that happened is completed, of one that didn’t the retargeting is taken
   * back. One that was begun on another forge is none of this one’s; one that somebody else made is
   * undone here, and the poller reports it. One that waited for its result waits again, one that
   * the forge makes by itself is left to that. Null: can’t be determined yet, and nothing was done.
   */
  settle(
    entry: Pick<JournalEntry, 'id' | 'step' | 'state' | 'data'>,
  ): Promise<
    | { kind: 'merged'; merged: Merged; pullError: string | undefined }
    | { kind: 'undone' }
    | { kind: 'waits' }
    | { kind: 'scheduled'; result: MergeScheduled }
    | null
  >
}

const LOCAL = 'local'

/**
 * Whose numbers the pull requests of a merge bear: there is one local forge in a repository,
 * wherever that is moved to.
 */
export const forgeOf = async (forge: Pick<Forge, 'kind' | 'identity'>): Promise<string> =>
  forge.kind === 'local' ? LOCAL : forge.identity()

/** The agent whose work is on a branch. */
export const ownerOf = (agents: readonly Agent[], branch: string): Agent | undefined =>
  agents.findLast((agent) => agent.branch === branch && !sharesBranch(agent))

export function createMergeSettling({
  store,
  git,
  forge,
  log,
  step,
  base,
  retargeting,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'log'> & {
  step: WriteStep
  base: Pick<MergeBase, 'sync'>
  retargeting: Retargeting
}): MergeSettling {
  /**
   * The store’s side of a merge: the child starts its next work from what was merged, retargeted
   * children have a new base.
   */
  const record = async (intent: MergeIntent, merged: Merged): Promise<void> => {
    const agents = await store.agents.list()
    const child = intent.trusted === false ? undefined : ownerOf(agents, intent.head)
    await store.transaction(async (tx) => {
      if (child !== undefined)
        await tx.agents.update(child.id, {
          forkPoint: merged.head,
          stopBlocker: null,
          stopBlocks: 0,
          rebaseTries: 0,
        })
      // What exomonad lands by itself nobody asked for: it is reported as any merge is.
      if (intent.queuedAt !== undefined && intent.awaited !== true && intent.by !== 'daemon') {
        await noteLanded(tx, intent.base, intent.by, {
          number: intent.number,
          title: intent.title ?? '',
        })
      }
      for (const number of intent.retargeted) {
        const known = await tx.snapshots.get(`pull:${number}`)
        const branch = (known?.['snapshot'] as PullRequestSnapshot | undefined)?.head.branch
        const agent = branch === undefined ? undefined : ownerOf(agents, branch)
        if (agent !== undefined)
          await tx.agents.update(agent.id, { baseBranch: asBranchName(intent.base) })
      }
    })
  }

  /** Why the branch stays; null where nothing would be lost with it. */
  const keepReason = async (branch: BranchName, head: Sha): Promise<string | null> => {
    const local = await git.resolve(`refs/heads/${branch}`)
    if (local !== null && !(await git.isAncestor(local, head)))
      return 'it has commits here that were not merged'
    const [onIt] = await retargeting.onto(branch)
    if (onIt !== undefined) return `#${onIt} is based on it`
    const child = (await store.agents.list({ live: true })).find(
      (agent) => agent.baseBranch === branch,
    )
    return child === undefined ? null : `${child.name} works on top of it`
  }

  /** With what is left for `clean` where this can’t be done now. */
  const deleteHead = async (branch: BranchName, head: Sha): Promise<void> => {
    try {
      const reason = await keepReason(branch, head)
      if (reason !== null)
        return log.info({ branch, reason }, 'a merged branch stays on the remote')
      // It may be gone: GitHub can do this itself.
      if ((await git.remoteTip(forge.remote, branch)) !== head) return
      const deleted = await git.deleteRemoteBranch(forge.remote, branch, head)
      if (deleted.kind === 'rejected')
        log.warn(
          { branch, reason: deleted.reason },
          'a merged branch could not be deleted on the remote',
        )
    } catch (thrown) {
      log.warn({ err: thrown, branch }, 'a merged branch could not be deleted on the remote')
    }
  }

  /**
   * The forge has merged by itself: what is based on the branch goes on, on its base, as with a
   * merge of our own before it.
   */
  const takeAlong = async (journal: string, intent: MergeIntent): Promise<MergeIntent> => {
    if (intent.trusted === false) return intent
    const known = [
      ...new Set([...intent.retargeted, ...(await retargeting.onto(asBranchName(intent.head)))]),
    ]
    await step(journal, 'scheduled', { retargeted: known })
    const retargeted: number[] = []
    for (const number of known) {
      try {
        await retargeting.move([number], asBranchName(intent.base))
        retargeted.push(number)
      } catch (thrown) {
        // It is merged in any case. One that can’t go along, for lack of commits of its own say,
        // stays, and the branch with it.
        if (!(thrown instanceof ExomonadError) || thrown.code === 'FORGE_UNAVAILABLE') throw thrown
        log.warn(
          { err: thrown, number, base: intent.base },
          'a pull request onto a merged branch could not be pointed to its base',
        )
      }
    }
    return { ...intent, retargeted }
  }

  const complete: MergeSettling['complete'] = async (
    journal,
    begun,
    merged,
    { sync = true } = {},
  ) => {
    const intent =
      begun.way === undefined && begun.scheduled === undefined
        ? begun
        : await takeAlong(journal, begun)
    await step(journal, 'record')
    await record(intent, merged)
    await step(journal, 'sync')
    const pullError = sync
      ? await base.sync(asBranchName(intent.base), ownerOf(await store.agents.list(), intent.base))
      : undefined
    if (intent.deletes === true) {
      await step(journal, 'delete')
      // Of one that the forge still takes for open it would be a pull request that was given up.
      if ((await forge.pushes?.isMarked(intent.number).catch(() => false)) ?? true)
        await deleteHead(asBranchName(intent.head), merged.head)
    }
    await store.journal.finish(journal, 'done')
    return pullError
  }

  const schedule: MergeSettling['schedule'] = async (journal, intent, { how, since }) => {
    await retargeting.move(intent.retargeted, asBranchName(intent.head))
    await step(journal, 'scheduled', { scheduled: how, scheduledAt: since, retargeted: [] })
  }

  return {
    complete,
    schedule,

    settle: async (entry) => {
      const { id, data } = entry
      const intent = data as MergeIntent
      if ((intent.forge ?? LOCAL) !== (await forgeOf(forge))) {
        log.warn(
          { journal: id, number: intent.number, forge: intent.forge ?? LOCAL },
          'a merge on another forge was cut off; nothing is done about it on this one',
        )
        await store.journal.finish(id, 'undone')
        return { kind: 'undone' }
      }
      const shaOf = (sha: string | null | undefined) => (sha == null ? null : parseSha(sha))
      const result = await forge.settleMerge({
        number: intent.number,
        prepared: shaOf(intent.prepared),
        head: shaOf(intent.preparedHead),
        by: intent.by as Actor,
      })
      if (result.kind === 'unknown') return null
      // The local forge journals the commit before it is pushed, and knows by that whose merge it
      // is.
      const isOurs = forge.kind === 'local' || mergeAttempt(entry) !== 'over'
      if (result.kind === 'merged' && isOurs) {
        return { kind: 'merged', merged: result, pullError: await complete(id, intent, result) }
      }
      if (result.kind === 'scheduled' && isOurs) {
        if (entry.step !== 'scheduled') await schedule(id, intent, result)
        return { kind: 'scheduled', result }
      }
      const mergedByOther =
        result.kind === 'merged' || (result.kind === 'not_open' && result.state === 'merged')
      // What was pointed to its base is where the work is by now.
      if (!mergedByOther) await retargeting.move(intent.retargeted, asBranchName(intent.head))
      // It waited for its result when it was asked for, and does so again.
      if (intent.queuedAt !== undefined && result.kind === 'not_merged') {
        await step(id, 'queued', { prepared: null, retargeted: [] })
        return { kind: 'waits' }
      }
      await store.journal.finish(id, 'undone')
      return { kind: 'undone' }
    },
  }
}
