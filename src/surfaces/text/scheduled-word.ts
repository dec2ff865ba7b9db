import type { ScheduledView } from '../../core/pulls/pull-documents.ts'

/** Of a pull request that the forge merges by itself, in a word or two. */
export const scheduledWord = ({ how, position }: ScheduledView): string =>
  how === 'auto' ? 'auto-merge' : `queued${position === null ? '' : ` (position ${position})`}`
