import { linesWords } from '../../../../domain/formats/line-range.ts'
import { cut, displayWidth } from '../../../text/width.ts'
import { printableLine } from '../../../text/printable.ts'
import { plural } from '../../../text/quantity.ts'
import type { FrameOptions } from '../frame-options.ts'
import type { Line } from '../input/line-editor.ts'
import { commandIn, liveFilter } from '../overview/line-meaning.ts'
import type { Verdict } from '../../../text/diff/draft-comment.ts'
import { isWriting, nodeOf, type Ask, type ConsoleState } from '../state.ts'
import type { Notice } from './compose-scrollback.ts'
import { inputRows, rule } from './input-rows.ts'
import { movingWords } from './moving-row.ts'
import { wrapText } from './wrap.ts'

export interface Bottom {
  readonly rows: readonly string[]
  /** In these rows, from 0. */
  readonly cursor: { readonly x: number; readonly y: number } | null
}

/** Milliseconds for which what the console says is shown over something else. */
const NOTICE_SHOWN = 8000
/** Rows that they, or what could be completed, take at most. */
const MOST_NOTICE = 3
/** Columns of what is asked that are shown at least, though there be none for the keys. */
const LEAST = 16

/**
 * What is asked or written over what has the screen, in the overview and in a diff: `matching` rows
 * are shown by the filter. Null where keys act.
 */
export function lineRows(
  state: ConsoleState,
  matching: number,
  options: FrameOptions,
): { rows: string[]; cursor: { x: number; y: number } | null } | null {
  const { columns: width, palette } = options
  if (state.ask !== null) {
    const { rows, cursor } = askRows(state, state.ask, options)
    return { rows: [...rows], cursor }
  }
  if (state.moving !== null)
    return {
      rows: [palette.active(cut(movingWords(state.moving, options), width))],
      cursor: null,
    }
  const { line } = state.overview
  if (line === null) return null
  const candidates =
    state.candidates.length === 0
      ? []
      : wrapText(state.candidates.map(printableLine).join('  '), width)
          .slice(0, MOST_NOTICE)
          .map(palette.dim)
  const input = inputRows(line, '', width, palette)
  const rows = [
    ...candidates,
    rule(lineLabel(state, line.text, matching), '', width, palette),
    input.row,
  ]
  return { rows, cursor: { x: input.x, y: rows.length - 1 } }
}

/** What Enter does with the line. */
function lineLabel(state: ConsoleState, text: string, matching: number): string {
  const command = commandIn(text)
  const name = printableLine(nodeOf(state, state.viewed)?.name ?? '')
  if (state.place !== 'overview' || command !== null)
    return `a command for ${name} · Enter runs it · Escape goes back`
  return liveFilter(text) === null
    ? 'a command, or words to filter by · Tab completes · Escape goes back'
    : `${plural(matching, 'row')} · Enter keeps the filter · Escape goes back`
}

/** What is asked, and where the answer is written. */
export function askRows(
  state: ConsoleState,
  ask: Ask,
  { columns: width, rows: height, palette }: FrameOptions,
): Bottom {
  const question = questionOf(ask)
  if (question !== null) {
    const paint = question.isGrave ? palette.bad : palette.attention
    const most = Math.max(1, Math.floor(height / 3) - 1)
    return {
      rows: [rule('', '', width, palette), ...questionRows(question, width, most).map(paint)],
      cursor: null,
    }
  }
  if (!isWriting(ask)) return { rows: [], cursor: null }
  const input = inputRows(ask.line, '› ', width, palette)
  return {
    rows: [rule(askLabel(state, ask, width), '', width, palette), input.row],
    cursor: { x: input.x, y: 1 },
  }
}

interface Question {
  readonly text: string
  /** What answers it, which is always seen. */
  readonly keys: string
  readonly isGrave: boolean
}

function questionRows({ text, keys }: Question, width: number, most: number): string[] {
  const whole = wrapText(`${text} ${keys}`, width)
  if (whole.length <= most) return whole
  const answers = wrapText(keys, width)
  const rows = wrapText(text, width)
  const shown = Math.max(1, most - answers.length)
  const last = rows.slice(shown - 1).join(' ')
  return [...rows.slice(0, shown - 1), cut(last, width), ...answers]
}

const YES = 'y: yes · any other key: no'

/** What one key answers; null where words are written. */
function questionOf(ask: Ask): Question | null {
  switch (ask.kind) {
    case 'kill': {
      const below = ask.below === 0 ? '' : ` and ${plural(ask.below, 'agent')} below it`
      return { text: `Kill ${printableLine(ask.name)}${below}?`, keys: YES, isGrave: true }
    }
    case 'merge': {
      const title = ask.title === '' ? '' : ` (${printableLine(ask.title)})`
      const at = ask.head === '' ? '' : ` at ${ask.head.slice(0, 7)}`
      return { text: `Merge #${ask.number}${title}${at}?`, keys: YES, isGrave: true }
    }
    case 'leave': {
      const text = `${plural(ask.comments, 'comment')} not sent: leave all the same?`
      return { text, keys: YES, isGrave: true }
    }
    case 'decide':
      return {
        text: `${printableLine(ask.agent)} asks for ${printableLine(ask.what)}`,
        keys: '· a: approve · d: deny · Escape goes back',
        isGrave: false,
      }
    case 'verdict':
      return {
        text: `Send the review of #${ask.number}`,
        keys: '· a: approve · r: request changes · c: comment · Escape goes back',
        isGrave: false,
      }
    default:
      return null
  }
}

function askLabel(state: ConsoleState, ask: Extract<Ask, { line: Line }>, width: number): string {
  const back = 'Escape goes back'
  switch (ask.kind) {
    case 'answer':
      return askedLabel(`answer to ${printableLine(ask.agent)}`, ask.what, back, width)
    case 'approve':
    case 'deny': {
      const keys = `a reason, or just Enter · ${back}`
      return askedLabel(`${ask.kind} what ${printableLine(ask.agent)} asks`, ask.what, keys, width)
    }
    case 'comment':
      return `comment on ${linesWords(ask.about.line, ask.about.from, ask.about.side)} · ${back}`
    case 'review': {
      const count = state.reviews[ask.number]?.comments.length ?? 0
      const with_ = count === 0 ? '' : ` with ${plural(count, 'comment')}`
      return `${VERDICTS[ask.verdict]} #${ask.number}${with_} · words, or just Enter · ${back}`
    }
  }
}

/** With as much of what is asked as there is room for beside the keys. */
function askedLabel(act: string, what: string, keys: string, width: number): string {
  const room = width - displayWidth(`─ ${act}:  · ${keys} ─`)
  const asked = what.trim() === '' ? '' : `: ${cut(printableLine(what), Math.max(LEAST, room))}`
  return `${act}${asked} · ${keys}`
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  approve: 'approve',
  request_changes: 'request changes of',
  comment: 'comment on',
}

/** What came of what was done, for the scrollback is not to be seen: the latest, of any agent. */
export function noticeRows(
  { views }: ConsoleState,
  { columns, palette, now }: FrameOptions,
): string[] {
  const notice = Object.values(views)
    .flatMap(({ notices }) => notices.slice(-1))
    .reduce<Notice | undefined>(
      (latest, one) => (latest === undefined || one.at >= latest.at ? one : latest),
      undefined,
    )
  return notice === undefined || notice.at < now - NOTICE_SHOWN
    ? []
    : wrapText(printableLine(notice.text), columns)
        .slice(0, MOST_NOTICE)
        .map(palette[notice.colour])
}
