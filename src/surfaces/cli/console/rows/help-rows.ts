import type { Palette } from '../../../text/palette.ts'
import { cut, pad } from '../../../text/width.ts'
import type { Place } from '../state.ts'
import { COMMANDS } from '../input/commands.ts'
import { listed } from '../input/key-table.ts'
import { OVERVIEW_KEYS } from '../overview/overview-key-table.ts'
import { REVIEW_KEYS } from '../review/review-key-table.ts'

type Keys = readonly (readonly [keys: string, does: string])[]

const LEAVE: Keys[number] = ['Ctrl-C', 'clear the line; twice: leave']

const OVERVIEW: Keys = [...OVERVIEW_KEYS.map(listed), LEAVE]
const REVIEW: Keys = REVIEW_KEYS.map(listed)

const RADAR: Keys = [
  ['↑ ↓ j k g G', 'select a pair'],
  ['Enter', 'what both did to each file; ↑ ↓ scroll it'],
  ['R', 'look again'],
  ['Escape q', 'back: from a pair to all of them'],
]

const FOLD: Keys = [
  ['↑ ↓ PgUp PgDn', 'scroll'],
  ['R', 'read it again'],
  ['Escape q', 'back'],
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
  { place: null, title: 'What is open together (f, /fold)', keys: FOLD },
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
