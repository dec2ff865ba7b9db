import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeResult, MergeScheduled } from '../../../adapters/forge/merging.ts'
import type { Actor } from '../../../domain/ids.ts'
import { noteBehind, saysBehind } from '../behind.ts'
import type { Deps } from '../../deps.ts'
import { pullEventFacts, type MergeIntent, type WriteStep } from './journal.ts'
import type { RefusedMerge } from './refusal.ts'
import type { Retargeting } from './retarget.ts'
import { ownerOf, type MergeSettling } from './settle.ts'

export type DirectMerge =
  | {
      readonly kind: 'merged'
      readonly merged: Extract<MergeResult, { kind: 'merged' }>
      readonly retargeted: readonly number[]
      readonly pullError: string | undefined
    }
  | { readonly kind: 'refused'; readonly result: RefusedMerge }
  /** Nothing was done: the forge has nothing that it could wait for. */
  | { readonly kind: 'ready' }
  | MergeScheduled

/**
 * One merge that the forge makes, or will make, of whatever that comes to. Its intent is in the
 * journal. A merge that the forge refused is taken back; throws where nobody knows what came of it
 * (`stuck` then names it).
 */
export function createMergeDirect({
  store,
  forge,
  publisher,
  log,
  step,
  retargeting,
  settling,
  stuck,
}: Pick<Deps, 'store' | 'forge' | 'publisher' | 'log'> & {
  step: WriteStep
  retargeting: Retargeting
  settling: MergeSettling
  stuck: Set<string>
}): (journal: string, intent: MergeIntent, pull: PullRequestSnapshot) => Promise<DirectMerge> {
  /**
   * Refused; where that was for being behind its base, its agent is notified and brings it up to
   * that.
   */
  const takeBack = async (
    journal: string,
    pull: PullRequestSnapshot,
    result: MergeResult,
  ): Promise<void> => {
    const behind = saysBehind(result)
    await store.transaction(async (tx) => {
      await tx.journal.finish(journal, 'undone')
      if (!behind) return
      await noteBehind(tx.snapshots, pull.head.branch, pull.head.sha)
      const agentId = ownerOf(await tx.agents.list(), pull.head.branch)?.id ?? null
      const dedupeKey = `behind:${pull.url}:${pull.head.sha}:${pull.base.sha ?? ''}`
      await publisher.publish(
        {
          type: 'pr.behind',
          agentId,
          actor: 'daemon',
          payload: { ...pullEventFacts(pull), sha: pull.head.sha },
          dedupeKey,
        },
        tx,
      )
    })
  }

  const mergeThere = async (
    journal: string,
    intent: MergeIntent,
    pull: PullRequestSnapshot,
  ): Promise<DirectMerge> => {
    // Branches of forks bear any name; what is based on ours has nothing to do with them.
    // What is merged in a while takes them along then: until it is, they show its work as theirs.
    const children =
      pull.trusted && intent.way === undefined ? await retargeting.onto(pull.head.branch) : []
    await step(journal, 'retarget', { retargeted: children })
    await retargeting.move(children, pull.base.branch)
    const result = await forge.merge({
      number: pull.number,
      expectedHead: pull.head.sha,
      expectedBase: pull.base.branch,
      strategy: intent.strategy,
      by: intent.by as Actor,
      ...(intent.way === undefined ? {} : { way: intent.way }),
      prepared: (sha) =>
        step(journal, 'merge', sha === null ? {} : { prepared: sha, preparedHead: pull.head.sha }),
    })
    if (result.kind === 'scheduled') {
      await settling.schedule(journal, { ...intent, retargeted: children }, result)
      return result
    }
    if (result.kind !== 'merged') {
      // First of all: a merge that somebody else makes from here on is theirs.
      await step(journal, 'refused')
      await retargeting.move(children, pull.head.branch)
      await takeBack(journal, pull, result)
      return result.kind === 'ready' ? { kind: 'ready' } : { kind: 'refused', result }
    }
    return {
      kind: 'merged',
      merged: result,
      retargeted: children,
      pullError: await settling.complete(journal, { ...intent, retargeted: children }, result),
    }
  }

  /**
   * An answer that was lost: asked for at once, and where that fails too, at each reconciliation.
   */
  const settleNow = async (journal: string, thrown: unknown): Promise<DirectMerge> => {
    log.warn({ err: thrown, journal }, 'merge interrupted')
    const entry = await store.journal.get(journal)
    const settled = entry === undefined ? null : await settling.settle(entry).catch(() => null)
    if (settled === null) stuck.add(journal)
    if (settled?.kind === 'scheduled') return settled.result
    if (settled?.kind !== 'merged' || entry === undefined) throw thrown
    return { ...settled, retargeted: [...(entry.data as MergeIntent).retargeted] }
  }

  return (journal, intent, pull) =>
    mergeThere(journal, intent, pull).catch((thrown: unknown) => settleNow(journal, thrown))
}
