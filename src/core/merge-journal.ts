import type { MergeStrategy } from '../adapters/forge/forge.ts'
import type { StoreVerbs } from '../adapters/store/store.ts'
import type { Deps } from './deps.ts'

/** What the journal of a merge holds. */
export interface MergeIntent extends Record<string, unknown> {
  /** Whose number that is: `local`, or GitHub’s identity. Missing where the entry is from before there was a second forge. */
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
  /** The commit about to be pushed as the base’s tip. */
  readonly prepared?: string
}

/**
 * In this order: `intent` (what is about to be merged), `retarget` (pull requests that target the merged branch go to its base), `merge` (with
 * the commit, where it is known before it is pushed), `record` (store), `sync` (the parent’s worktree), `delete` (the head branch).
 */
export type MergeStep = 'intent' | 'retarget' | 'merge' | 'record' | 'sync' | 'delete'

/** Writes which step is about to be taken. */
export type WriteStep = (journal: string, step: MergeStep, data?: Partial<MergeIntent>) => Promise<void>

export const createWriteStep =
  ({ store, onJournalStep }: { store: Pick<StoreVerbs, 'journal'>; onJournalStep: Deps['onJournalStep'] }): WriteStep =>
  async (journal, step, data) => {
    await store.journal.step(journal, step, data)
    onJournalStep('merge', step)
  }
