import type { PullDetails, PullSummary } from '../../../core/pulls/pull-documents.ts'
import { placeText } from '../../../domain/formats/line-range.ts'
import type { ToolInput, ToolResult } from '../../../tools/types.ts'
import type { Palette } from '../../text/palette.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { scheduledWord } from '../../text/scheduled-word.ts'
import { renderFacts, renderTable, type Cell } from '../../text/table.ts'

export function pullTable(
  { pull_requests: pulls }: ToolResult<'pr_list'>,
  state: ToolInput<'pr_list'>['state'],
  options: { width: number; palette: Palette },
): string[] {
  if (pulls.length === 0) return [`No ${state === 'all' ? '' : `${state} `}pull requests`]
  const { palette } = options
  const rows = pulls.map((pull) => [
    { text: `#${pull.number}`, paint: palette.link },
    printableLine(pull.title),
    printableLine(pull.head_branch),
    stateCell(pull, palette),
    wordCell(pull.checks, palette),
    wordCell(pull.review, palette),
  ])
  const columns = [
    { title: 'PR' },
    { title: 'TITLE', min: 12 },
    { title: 'BRANCH', min: 12 },
    { title: 'STATE' },
    { title: 'CHECKS' },
    { title: 'REVIEW' },
  ]
  return renderTable(columns, rows, options)
}

/** Or the log of one, where that was asked for. */
export function describeChecks(
  { number, head_sha: head, state, checks, log, rerun }: ToolResult<'pr_checks'>,
  wanted: string | undefined,
  palette: Palette,
): string[] {
  if (wanted !== undefined) return [printable(log ?? '').trimEnd()]
  if (checks.length === 0) return [`No checks have run on ${head.slice(0, 10)}`]
  const again =
    rerun === 'started'
      ? `${palette.good('✓')} Started again`
      : `${palette.attention('!')} They run already: left alone`
  return [
    ...(rerun === null ? [] : [again]),
    `#${number} ${palette.dim(head.slice(0, 10))} ${painted(wordCell(state, palette))}`,
    ...checkLines(checks, palette),
  ]
}

export function describePull(pull: PullDetails, palette: Palette): string[] {
  const facts: [string, string][] = [
    ['branch', `${printableLine(pull.head_branch)} → ${printableLine(pull.base_branch)}`],
    ['state', painted(stateCell(pull, palette))],
    ['checks', painted(wordCell(pull.checks, palette))],
    ['review', painted(wordCell(pull.review, palette))],
    ...(pull.asked_reviewers.length === 0
      ? []
      : [['asked', askedWords(pull.asked_reviewers)] as [string, string]]),
    ...(pull.landing === null ? [] : [['landing', landingWords(pull.landing)] as [string, string]]),
    ...(pull.scheduled === null
      ? []
      : [['merge', scheduledFacts(pull.scheduled, pull.base_branch)] as [string, string]]),
    ['head', pull.head_sha.slice(0, 10)],
    // On the local forge it leads nowhere.
    ...(/^https?:/.test(pull.url) ? [['url', printableLine(pull.url)] as [string, string]] : []),
    ...(pull.agent === null ? [] : [['agent', printableLine(pull.agent)] as [string, string]]),
    ...(pull.conflict_files.length === 0
      ? []
      : [['conflicts', pull.conflict_files.map(printableLine).join(', ')] as [string, string]]),
  ]
  const body = printable(pull.body).trim()
  return [
    `${palette.link(`#${pull.number}`)} ${palette.bold(printableLine(pull.title))}`,
    ...renderFacts(facts, palette).map((line) => `  ${line}`),
    ...(body === '' ? [] : ['', ...body.split('\n').map((line) => `  ${line}`)]),
    ...pull.reviews.flatMap((review) => ['', ...reviewLines(review, palette)]),
    ...(pull.check_runs.length === 0 ? [] : ['', ...checkLines(pull.check_runs, palette)]),
    ...(pull.queue_checks.length === 0
      ? []
      : ['', '  In the merge queue:', ...checkLines(pull.queue_checks, palette)]),
  ]
}

const NOT_COUNTED: Readonly<
  Record<NonNullable<PullDetails['reviews'][number]['not_counted']>, string>
> = {
  no_write_access: 'without write access',
  own: 'it is their own pull request',
  dismissed: 'it was dismissed',
  superseded: 'they decided anew since',
  older_head: 'of an older head',
}

function reviewLines(review: PullDetails['reviews'][number], palette: Palette): string[] {
  const body = printable(review.body).trim()
  const { not_counted: why } = review
  const verdict =
    why === null
      ? painted(wordCell(review.state, palette))
      : palette.dim(`– ${review.state.replace('_', ' ')}`)
  const note =
    why !== null
      ? ` (${review.state === 'commented' ? '' : 'does not count: '}${NOT_COUNTED[why]})`
      : review.stale
        ? ` (of an older head${review.state === 'commented' ? '' : ' with the same changes'})`
        : ''
  return [
    `${verdict} by ${palette.bold(printableLine(review.author))}${palette.dim(note)}`,
    ...(body === '' ? [] : body.split('\n').map((line) => `  ${line}`)),
    ...review.comments.flatMap((comment) => [
      `  ${palette.link(placeText({ path: printableLine(comment.path), line: comment.line, startLine: comment.start_line, side: comment.side }))}  ${conversationWords(comment, palette)}`,
      ...printable(comment.body)
        .trim()
        .split('\n')
        .map((line) => `    ${line}`),
    ]),
  ]
}

const askedWords = (asked: PullDetails['asked_reviewers']): string =>
  asked
    .map(({ name, code_owner: owner }) => `${printableLine(name)}${owner ? ' (code owner)' : ''}`)
    .join(', ')

/** Its id, to answer it by, and whether its conversation is settled. */
function conversationWords(
  { id, conversation }: PullDetails['reviews'][number]['comments'][number],
  palette: Palette,
): string {
  const state =
    conversation === null
      ? ''
      : conversation === 'open'
        ? `${palette.attention('● open')}  `
        : `${palette.good('✓ resolved')}  `
  return `${state}${palette.dim(`comment ${printableLine(id)}`)}`
}

function checkLines(checks: PullDetails['check_runs'], palette: Palette): string[] {
  return checks.flatMap((check) => [
    `  ${painted(wordCell(check.status, palette))}  ${printableLine(check.name)}${check.required ? '' : palette.dim(' (not required)')}${check.url === null ? '' : palette.dim(`  ${printableLine(check.url)}`)}`,
    ...(check.log_tail === null || check.status === 'passed'
      ? []
      : printable(check.log_tail)
          .trimEnd()
          .split('\n')
          .map((line) => palette.dim(`    ${line}`))),
  ])
}

const painted = (cell: Cell): string => (cell.paint ?? ((text: string) => text))(cell.text)

function stateCell(pull: PullSummary, palette: Palette): Cell {
  if (pull.state === 'merged') return { text: 'merged', paint: palette.special }
  if (pull.state === 'closed') return { text: 'closed', paint: palette.dim }
  if (pull.landing !== null) return { text: '● landing', paint: palette.attention }
  if (pull.scheduled !== null)
    return { text: `● ${scheduledWord(pull.scheduled)}`, paint: palette.attention }
  if (pull.mergeable === 'conflicting') return { text: 'conflict', paint: palette.bad }
  return pull.draft ? { text: 'draft', paint: palette.dim } : { text: 'open', paint: palette.link }
}

/** How far it is, in a line. */
function landingWords({
  step,
  since_seconds: since,
  together,
}: NonNullable<PullSummary['landing']>): string {
  const others =
    together.length === 0
      ? ''
      : ` together with ${together.map((number) => `#${number}`).join(', ')}`
  const what =
    step === 'queued'
      ? 'its result waits to be checked'
      : step === 'checking'
        ? `its result is being checked${others}`
        : 'its result is green'
  return `${what} (for ${since} s)`
}

const scheduledFacts = (
  { how, position, checks, by }: NonNullable<PullSummary['scheduled']>,
  base: string,
): string =>
  how === 'auto'
    ? `GitHub merges it once nothing stands against it (asked for by ${printableLine(by)})`
    : `position ${position ?? '?'} in the merge queue of ${printableLine(base)}, put there by ${printableLine(by)}${checks === null || checks === 'none' ? '' : `; checks there: ${printableLine(checks)}`}`

/** States of checks and reviews with the symbol and colour they have everywhere. */
function wordCell(word: string, palette: Palette): Cell {
  switch (word) {
    case 'passed':
    case 'approved':
      return { text: `✓ ${word}`, paint: palette.good }
    case 'failed':
    case 'timed_out':
    case 'interrupted':
    case 'cancelled':
      return { text: `✗ ${word.replace('_', ' ')}`, paint: palette.bad }
    case 'changes_requested':
      return { text: '✎ changes requested', paint: palette.attention }
    case 'commented':
      return { text: '✎ commented', paint: palette.link }
    case 'pending':
    case 'running':
    case 'queued':
      return { text: `● ${word}`, paint: palette.attention }
    case 'none':
      return { text: '–', paint: palette.dim }
    default:
      return { text: `? ${printableLine(word)}`, paint: palette.dim }
  }
}
