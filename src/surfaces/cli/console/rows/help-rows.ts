import type { Palette } from '../../../text/palette.ts'
import { cut, pad } from '../../../text/width.ts'
import type { Place } from '../state.ts'
import { COMMANDS } from '../input/commands.ts'

type Keys = readonly (readonly [keys: string, does: string])[]

const LEAVE: Keys[number] = ['Ctrl-C', 'clear the line; twice: leave']

const OVERVIEW: Keys = [
  ['↑ ↓ j k', 'select; scroll, where the preview has the keys'],
  ['Enter', 'do what the selected row needs: answer, approve or deny, merge; talk to an agent'],
  ['Tab', 'the keys to the preview, and back to the list'],
  ['1-5 ← →', 'terminal, diff, task, timeline, mail'],
  ['PgUp PgDn', 'scroll the preview'],
  ['/', 'filter; a command, where it is the name of one'],
  [':', 'a command'],
  ['s', 'sort by tree, name, state, age'],
  ['d m', 'diff of its pull request, merge it after asking'],
  ['t', 'the terminal of the agent itself'],
  ['i', 'the inbox with its news'],
  ['c', 'whose work would conflict (⚠ in the list)'],
  ['x', 'end the agent and all below it, after asking'],
  ['Escape', 'end a running /wait; back to the list; all rows again'],
  ['q Ctrl-D', 'leave; agents go on'],
  LEAVE,
]

const REVIEW: Keys = [
  ['↑ ↓ j k', 'line by line; PgUp PgDn page by page, g G to the ends'],
  ['n p', 'next, previous hunk'],
  ['N P', 'next, previous file'],
  ['v', 'begin a range of lines, and end it'],
  ['c Enter', 'comment on the line or the range'],
  ['u', 'take back what is to be said of the line'],
  ['s', 'send as approval, request for changes or comment'],
  ['m', 'merge, after asking'],
  ['R', 'read it again'],
  ['/ :', 'a command'],
  ['Escape q', 'back; what is not sent stays'],
]

const RADAR: Keys = [
  ['↑ ↓ j k g G', 'select a pair'],
  ['Enter', 'what both did to each file; ↑ ↓ scroll it'],
  ['R', 'look again'],
  ['Escape q', 'back: from a pair to all of them'],
]

const CONVERSATION: Keys = [
  ['Alt-← Alt-→', 'previous, next agent'],
  ['Alt-↑ Alt-↓', 'parent, first child'],
  ['PgUp PgDn', 'scroll'],
  ['↑ ↓', 'what was sent before'],
  ['Tab', 'complete commands and agents'],
  ['Escape', 'end a running /wait, close what is open; else to the overview'],
  ['Ctrl-← Ctrl-→', 'word by word'],
  ['Alt-Enter', 'a further line in the text'],
  ['Ctrl-A E K U W', 'begin, end, cut to end, to begin, word'],
  LEAVE,
  ['Ctrl-D', 'leave, on an empty line'],
]

const GROUPS: readonly {
  readonly place: Place | null
  readonly title: string
  readonly keys: Keys
}[] = [
  { place: 'overview', title: 'In the overview', keys: OVERVIEW },
  { place: 'review', title: 'In a diff', keys: REVIEW },
  { place: 'conversation', title: 'With an agent', keys: CONVERSATION },
  { place: null, title: 'Who would conflict (c, /radar)', keys: RADAR },
]

/** Commands and keys, each with what it does beside it, in at most `width` columns. */
export function helpRows({
  width,
  palette,
  place,
}: {
  readonly width: number
  readonly palette: Palette
  /** Whose keys come first. */
  readonly place: Place
}): string[] {
  const commands = COMMANDS.map(({ name, usage, does }): readonly [string, string] => [
    `/${name} ${usage}`.trimEnd(),
    does,
  ])
  const groups = GROUPS.toSorted((a, b) => Number(b.place === place) - Number(a.place === place))
  const column = Math.max(
    ...[...commands, ...groups.flatMap(({ keys }) => keys)].map(([left]) => left.length),
  )
  const beside = ([left, does]: readonly [string, string]): string[] => {
    const room = width - column - GAP.length
    if (room < LEAST) return [palette.bold(cut(left, width))]
    return wordRows(does, room).map(
      (row, index) => `${palette.bold(pad(index === 0 ? left : '', column))}${GAP}${row}`,
    )
  }
  const keys = groups.map(({ title, keys: own }) => [
    palette.dim(cut(title, width)),
    ...own.flatMap(beside),
    '',
  ])
  const written = [...commands.flatMap(beside), '']
  const [first = [], ...others] = keys
  // Where one writes, what can be written comes first.
  return [
    ...(place === 'conversation' ? [...written, ...first] : [...first, ...written]),
    ...others.flat(),
    ...wordRows(ELSE, width),
  ]
}

const ELSE =
  'With an agent, all else goes to the agent that is shown. //… sends text that begins with a slash.'
const GAP = '  '
const LEAST = 12

/** Broken between words. */
function wordRows(text: string, width: number): string[] {
  const rows: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${rows.at(-1) ?? ''} ${word}`
    if (rows.length > 0 && longer.length <= width) rows[rows.length - 1] = longer
    else rows.push(cut(word, width))
  }
  return rows
}
