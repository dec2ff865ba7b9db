import type { ToolResult } from '../../../../src/tools/types.ts'
import { scheduledWord } from '../../../../src/surfaces/text/scheduled-word.ts'

export type PullSummary = ToolResult<'pr_list'>['pull_requests'][number]
export type PullDetails = ToolResult<'pr_show'>

export interface Chip {
  readonly text: string
  readonly tone: 'good' | 'bad' | 'attention' | 'active' | 'special' | 'dim'
}

const LANDING = { queued: 'waits to land', checking: 'result is checked', landing: 'landing' }

/** How it stands, in a word. */
export function stateChip(pull: PullSummary): Chip {
  if (pull.state === 'merged') return { text: 'merged', tone: 'special' }
  if (pull.state === 'closed') return { text: 'closed', tone: 'bad' }
  if (pull.landing !== null) return { text: LANDING[pull.landing.step], tone: 'active' }
  if (pull.scheduled !== null) return { text: scheduledWord(pull.scheduled), tone: 'active' }
  return pull.draft ? { text: 'draft', tone: 'dim' } : { text: 'open', tone: 'good' }
}

const CHECKS: Readonly<Record<string, Chip>> = {
  passed: { text: '✓ passed', tone: 'good' },
  failed: { text: '✗ failed', tone: 'bad' },
  pending: { text: '● running', tone: 'active' },
  none: { text: 'no checks', tone: 'dim' },
  unknown: { text: '? unknown', tone: 'attention' },
}

export const checksChip = ({ checks }: Pick<PullSummary, 'checks'>): Chip =>
  CHECKS[checks] ?? { text: checks, tone: 'dim' }

/** Of one check. */
export function checkChip(status: string): Chip {
  if (status === 'passed') return { text: '✓ passed', tone: 'good' }
  if (status === 'failed') return { text: '✗ failed', tone: 'bad' }
  if (status === 'timed_out') return { text: '✗ timed out', tone: 'bad' }
  if (status === 'running' || status === 'queued') return { text: `● ${status}`, tone: 'active' }
  return { text: status.replaceAll('_', ' '), tone: 'dim' }
}

export function reviewChip({ review }: Pick<PullSummary, 'review'>): Chip | null {
  if (review === 'approved') return { text: '✓ approved', tone: 'good' }
  if (review === 'changes_requested') return { text: '✗ changes asked for', tone: 'bad' }
  return null
}

export const conflictChip = ({ mergeable, state }: PullSummary): Chip | null =>
  mergeable === 'conflicting' && state === 'open' ? { text: '⚠ conflicts', tone: 'bad' } : null

/** What a review says, in a word. */
export const verdictChip = ({ state }: { readonly state: string }): Chip =>
  state === 'approved'
    ? { text: '✓ approves', tone: 'good' }
    : state === 'changes_requested'
      ? { text: '✗ asks for changes', tone: 'bad' }
      : { text: 'comments', tone: 'dim' }

/** Why a verdict decides nothing. */
export const NOT_COUNTED: Readonly<
  Record<NonNullable<PullDetails['reviews'][number]['not_counted']>, string>
> = {
  no_write_access: 'does not count: without write access',
  own: 'does not count: it is their own pull request',
  dismissed: 'does not count: it was dismissed',
  superseded: 'does not count: they decided anew since',
  older_head: 'does not count: of an older head',
}

/** Why it can’t be merged as it is, as far as that is known. */
export function standsAgainst(pull: PullDetails): string[] {
  if (pull.state !== 'open') return []
  return [
    ...(pull.draft ? ['It is a draft.'] : []),
    ...(pull.mergeable === 'conflicting'
      ? [
          `It conflicts with ${pull.base_branch}${pull.conflict_files.length === 0 ? '' : ` in ${pull.conflict_files.join(', ')}`}. Its agent rebases it.`,
        ]
      : []),
    ...(pull.checks === 'failed' ? ['Its checks failed.'] : []),
    ...(pull.checks === 'pending' ? ['Its checks run.'] : []),
    ...(pull.review === 'changes_requested' ? ['Changes were asked for.'] : []),
    ...(pull.asked_reviewers.length === 0
      ? []
      : [`A review is asked of ${pull.asked_reviewers.map(({ name }) => name).join(', ')}.`]),
  ]
}

/** What was ticked beside the merge of a head. */
export interface Ticked {
  readonly head: string
  /** Although something stands against it. */
  readonly force: boolean
  /** As soon as nothing does. */
  readonly later: boolean
}

/**
 * Which of them can be ticked, and which are. What is not on the screen any more asks for nothing,
 * and what was ticked for another head neither.
 */
export function mergeChoices(
  pull: PullDetails,
  head: string,
  ticked: Ticked,
): { readonly offers: Omit<Ticked, 'head'>; readonly chosen: Omit<Ticked, 'head'> } {
  const hasReasons = standsAgainst(pull).length > 0
  const offers = {
    force: hasReasons && pull.mergeable !== 'conflicting',
    later: hasReasons && /^https?:/.test(pull.url),
  }
  const isOfThis = ticked.head === head
  return {
    offers,
    chosen: {
      force: offers.force && isOfThis && ticked.force,
      later: offers.later && isOfThis && ticked.later,
    },
  }
}
