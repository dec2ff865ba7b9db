import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { CancelledMerge, ScheduledMerge } from '../../../adapters/forge/scheduled.ts'
import type { JournalEntry } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { rebasedHeads } from '../../../domain/rebased-heads.ts'
import type { Deps } from '../../deps.ts'
import { createBaseSync } from './base.ts'
import { createWriteStep, isScheduled, type MergeIntent } from './journal.ts'
import { createRetargeting } from './retarget.ts'
import { createMergeSettling, ownerOf } from './settle.ts'

/** So long a forge may take to say why, or to merge it after all. Milliseconds. */
const MOMENT = 60_000

const NEW_COMMITS = 'new commits were pushed to it'
/** The same words, whoever notices first, the forge or a look at it. */
const UNSEEN_COMMITS = `${NEW_COMMITS}, which nobody has looked at`

/**
 * What a look at a pull request is followed by before anybody is notified of it. A merge that the
 * forge made by itself, as it was asked to, is completed; one that was made elsewhere is brought
 * in. One that is not to come any more gets its reason; and what was asked for with another head,
 * whose new commits nobody here has looked at, is cancelled. Throws FORGE_UNAVAILABLE where that
 * can’t be done now: it is looked at again.
 */
export function createMergeFollowUp(
  deps: Pick<Deps, 'store' | 'git' | 'forge' | 'clock' | 'log' | 'onJournalStep'>,
): FollowUp {
  const { store, forge, clock, log } = deps
  const sync = createBaseSync(deps)
  const step = createWriteStep(deps)
  const settling = createMergeSettling({
    ...deps,
    step,
    base: { sync },
    retargeting: createRetargeting(deps),
  })

  const scheduledHere = async ({ number, url }: PullRequestSnapshot): Promise<JournalEntry[]> =>
    (await store.journal.open()).filter(
      (entry) => isScheduled(entry) && entry.data['number'] === number && entry.data['url'] === url,
    )

  /**
   * Returns why the worktree lacks it; null where none of these merges was made as it was asked for
   * here.
   */
  const complete = async (
    entries: readonly JournalEntry[],
  ): Promise<{ readonly localError: string | undefined } | null> => {
    let completed: { readonly localError: string | undefined } | null = null
    for (const entry of entries) {
      const settled = await settling.settle(entry)
      if (settled === null)
        throw new ExomonadError(
          'FORGE_UNAVAILABLE',
          `#${String(entry.data['number'])} was merged, and can’t be read now.`,
        )
      if (settled.kind === 'merged') completed = { localError: settled.pullError }
    }
    return completed
  }

  /** Whether it has other work by now than one of these merges was asked for with. */
  const hasUnseen = async (
    { head }: PullRequestSnapshot,
    entries: readonly JournalEntry[],
  ): Promise<boolean> => {
    const moved = entries
      .map(({ data }) => (data as MergeIntent).expectedHead)
      .filter((expected) => expected !== head.sha)
    if (moved.length === 0) return false
    const rebased = await rebasedHeads(store.snapshots, head.branch)
    return moved.some((expected) => !rebased.same(expected, head.sha))
  }

  /**
   * Of what is neither merged nor scheduled any more: since when. For a moment that is also so of
   * what the forge is about to merge.
   */
  const vanished = new Map<number, number>()

  /**
   * Why it is not merged by itself any more; null where it never was, as far as anybody knows.
   * `unknown`: the forge has not said so yet, and it may still be merged.
   */
  const cancelledOf = async (
    pull: PullRequestSnapshot,
    before: ScheduledMerge | undefined,
    intent: MergeIntent | undefined,
  ): Promise<CancelledMerge | 'unknown' | null> => {
    const kind = before?.kind ?? intent?.scheduled
    if (forge.scheduled === null || kind === undefined) return null
    const since = before?.since ?? intent?.scheduledAt ?? 0
    // Auto-merge comes to the queue at last.
    for (const one of kind === 'auto' ? (['auto', 'queue'] as const) : (['queue'] as const)) {
      const found = await forge.scheduled.cancelled(pull.number, one)
      if (found !== null && found.at >= since) return found
    }
    if (before === undefined) return 'unknown'
    const first = vanished.get(pull.number) ?? clock()
    vanished.set(pull.number, first)
    return Math.abs(clock() - first) < MOMENT
      ? 'unknown'
      : { kind, reason: null, at: pull.updatedAt, failed: [] }
  }

  const finish = async (entries: readonly JournalEntry[]): Promise<void> => {
    for (const { id } of entries) await store.journal.finish(id, 'undone')
  }

  return async (found, isElsewhere) => {
    const entries = await scheduledHere(found)
    if (found.state !== 'open') vanished.delete(found.number)
    if (found.state === 'merged') {
      const completed = await complete(entries)
      if (completed !== null) return { pull: found, localError: completed.localError }
      if (!(await isElsewhere())) return { pull: found }
      return {
        pull: found,
        localError: await sync(
          found.base.branch,
          ownerOf(await store.agents.list(), found.base.branch),
        ),
      }
    }
    if (found.state === 'closed') {
      await finish(entries)
      return { pull: found }
    }
    const before = (await store.snapshots.get(`pull:${found.number}`))?.['snapshot'] as
      | PullRequestSnapshot
      | undefined
    const { scheduled, ...unscheduled } = found
    if (scheduled === undefined) {
      const cancelled = await cancelledOf(
        found,
        before?.scheduled,
        entries.at(-1)?.data as MergeIntent | undefined,
      )
      if (cancelled === 'unknown' && before?.scheduled !== undefined)
        return { pull: { ...found, scheduled: before.scheduled } }
      if (cancelled === 'unknown' || cancelled === null) return { pull: found }
      vanished.delete(found.number)
      const moved = before !== undefined && before.head.sha !== found.head.sha
      const pushed = (await hasUnseen(found, entries)) ? UNSEEN_COMMITS : moved ? NEW_COMMITS : null
      await finish(entries)
      return { pull: found, cancelled: { ...cancelled, reason: cancelled.reason ?? pushed } }
    }
    vanished.delete(found.number)
    if (!(await hasUnseen(found, entries)) || forge.scheduled === null) return { pull: found }
    log.info(
      { number: found.number, head: found.head.sha },
      'a pull request that was to be merged by itself has new commits: its merge is cancelled',
    )
    try {
      await forge.scheduled.cancel(found.number)
    } catch (thrown) {
      if (!(thrown instanceof ExomonadError) || thrown.code === 'FORGE_UNAVAILABLE') throw thrown
      // It is reported all the same, as it is.
      log.warn(
        { err: thrown, number: found.number },
        'a merge that the forge is to make of other commits than were looked at could not be cancelled',
      )
      return { pull: found }
    }
    await finish(entries)
    const { kind } = scheduled
    return {
      pull: unscheduled,
      cancelled: { kind, reason: UNSEEN_COMMITS, at: found.updatedAt, failed: [] },
    }
  }
}

/**
 * What is done about a look before anybody is notified of it, and what else is known then.
 * `isElsewhere`: it was open when it was seen last and was merged since, by nobody here.
 */
export type FollowUp = (
  found: PullRequestSnapshot,
  isElsewhere: () => Promise<boolean>,
) => Promise<FollowedUp>

export interface FollowedUp {
  /** As it is after that. */
  readonly pull: PullRequestSnapshot
  /** Of one that was merged: why the base here does not have it. */
  readonly localError?: string | undefined
  /** The forge was to merge it by itself, and does not any more. */
  readonly cancelled?: CancelledMerge
}
