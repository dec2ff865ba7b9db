import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeStrategy } from '../../../adapters/forge/merge-results.ts'
import type { MergeKind } from '../../../adapters/forge/scheduled.ts'
import type { Store, StoreVerbs } from '../../../adapters/store/store.ts'
import type { JournalEntry } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'

/** What the journal of a merge holds. */
export interface MergeIntent extends Record<string, unknown> {
  /**
   * Whose number that is: `local`, or GitHub’s identity. Missing where the entry is from before
   * there was a second forge.
   */
  readonly forge?: string
  readonly number: number
  readonly head: string
  readonly base: string
  readonly by: string
  readonly expectedHead: string
  readonly strategy: MergeStrategy
  /** False: it comes from a fork, whose `head` is no branch of this repository. */
  readonly trusted?: boolean
  readonly retargeted: readonly number[]
  /** The head branch is to be deleted on the remote afterwards. */
  readonly deletes?: boolean
  /**
   * The commit about to be pushed as the base’s tip, or one below it; null where one that was is
   * not any more.
   */
  readonly prepared?: string | null
  /**
   * What of the pull request is in that: what is pushed to its branch later is not. Missing where
   * the entry is from before this was noted.
   */
  readonly preparedHead?: string
  /** It waits for its result to be checked: since then (ms since the epoch). */
  readonly queuedAt?: number
  readonly title?: string
  readonly url?: string
  /** Its caller has the outcome by now, or waits for it. */
  readonly awaited?: boolean
  /** Of a pull request that is landed with others: their numbers. */
  readonly together?: readonly number[]
  /** How the forge is asked to merge it; missing where that is at once. */
  readonly way?: MergeKind
  /** Of one that it merges by itself from then on: how. */
  readonly scheduled?: MergeKind
  /** Since when, by its clock (ms since the epoch). */
  readonly scheduledAt?: number
}

/**
 * Of one whose result has to be checked first: `queued` (it waits for its turn), `built` (the
 * commits are made), `checking`, `checked` (green). Then, as for all, in this order: `intent` (what
 * is about to be merged), `retarget` (pull requests that target the merged branch go to its base),
 * `merge` (with the commit, where it is known before it is pushed), `scheduled` (the forge merges
 * it by itself, in a while), `record` (store), `sync` (the parent’s worktree), `delete` (the head
 * branch). Instead of those three, where the forge said no: `refused` (what was retargeted goes
 * back).
 */
export type MergeStep =
  | 'intent'
  | 'queued'
  | 'built'
  | 'checking'
  | 'checked'
  | 'retarget'
  | 'merge'
  | 'scheduled'
  | 'record'
  | 'sync'
  | 'delete'
  | 'refused'

const WAITING: ReadonlySet<string> = new Set<MergeStep>(['queued', 'built', 'checking', 'checked'])

/** It waits to land: nothing of it has left this machine. */
export const waitsToLand = ({ kind, step }: Pick<JournalEntry, 'kind' | 'step'>): boolean =>
  kind === 'merge' && WAITING.has(step)

/** The forge merges it by itself: that is followed to its end. */
export const isScheduled = ({ kind, step }: Pick<JournalEntry, 'kind' | 'step'>): boolean =>
  kind === 'merge' && step === ('scheduled' satisfies MergeStep)

/** Writes which step is about to be taken. */
export type WriteStep = (
  journal: string,
  step: MergeStep,
  data?: Partial<MergeIntent>,
) => Promise<void>

/** The same of several at once: one write. */
export type WriteSteps = (
  entries: readonly { readonly journal: string; readonly data?: Partial<MergeIntent> }[],
  step: MergeStep,
) => Promise<void>

export const createWriteSteps =
  ({
    store,
    onJournalStep,
  }: {
    store: Pick<Store, 'transaction'>
    onJournalStep: Deps['onJournalStep']
  }): WriteSteps =>
  async (entries, step) => {
    await store.transaction(async (tx) => {
      for (const { journal, data } of entries) {
        // It was withdrawn in between: nothing more is done of it.
        if ((await tx.journal.get(journal))?.state !== 'open')
          throw new Error(`the landing ${journal} is over`)
        await tx.journal.step(journal, step, data)
      }
    })
    if (entries.length > 0) onJournalStep('merge', step)
  }

export const createWriteStep =
  ({
    store,
    onJournalStep,
  }: {
    store: Pick<StoreVerbs, 'journal'>
    onJournalStep: Deps['onJournalStep']
  }): WriteStep =>
  async (journal, step, data) => {
    await store.journal.step(journal, step, data)
    onJournalStep('merge', step)
  }

/** What events say of a pull request. */
export const pullEventFacts = ({ number, title, url, head, base }: PullRequestSnapshot) => ({
  number,
  title,
  url,
  head: head.branch,
  base: base.branch,
})
