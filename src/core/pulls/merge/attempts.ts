import type { JournalEntry } from '../../../domain/records.ts'
import type { MergeStep } from './journal.ts'

/**
 * What is known here of a merge that was decided on: `made` (the forge said so), `asked` (the forge
 * may have been asked, and its answer is not known, or it makes it by itself in a while), `over`
 * (the forge refused it or was never asked, or it was given up): whoever merges it then is somebody
 * else.
 */
export type MergeAttempt = 'made' | 'asked' | 'over'

const MADE: ReadonlySet<string> = new Set<MergeStep>(['record', 'sync', 'delete'])

/** By its journal entry; undefined where that is long forgotten. */
export function mergeAttempt(
  entry: Pick<JournalEntry, 'state' | 'step'> | undefined,
): MergeAttempt {
  if (entry === undefined || entry.state === 'undone') return 'over'
  if (entry.state === 'done' || MADE.has(entry.step)) return 'made'
  return entry.step === 'merge' || entry.step === 'scheduled' ? 'asked' : 'over'
}
