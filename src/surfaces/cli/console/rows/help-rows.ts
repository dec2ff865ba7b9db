import type { Palette } from '../../../text/palette.ts'
import { cut, pad } from '../../../text/width.ts'
import { COMMANDS } from '../input/commands.ts'

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Alt-← Alt-→', 'previous, next agent'],
  ['Alt-↑ Alt-↓', 'parent, first child'],
  ['PgUp PgDn', 'scroll'],
  ['↑ ↓', 'what was sent before'],
  ['Tab', 'complete commands and agents'],
  ['Escape', 'end a running /wait, close what is open'],
  ['Ctrl-← Ctrl-→', 'word by word'],
  ['Alt-Enter', 'a further line in the text'],
  ['Ctrl-A E K U W', 'begin, end, cut to end, to begin, word'],
  ['Ctrl-C', 'clear the line; twice: leave'],
  ['Ctrl-D', 'leave, on an empty line'],
]

/** Commands and keys, each with what it does beside it, in at most `width` columns. */
export function helpRows({
  width,
  palette,
}: {
  readonly width: number
  readonly palette: Palette
}): string[] {
  const commands = COMMANDS.map(({ name, usage, does }): readonly [string, string] => [
    `/${name} ${usage}`.trimEnd(),
    does,
  ])
  const column = Math.max(...[...commands, ...KEYS].map(([left]) => left.length))
  const beside = ([left, does]: readonly [string, string]): string[] => {
    const room = width - column - GAP.length
    if (room < LEAST) return [palette.bold(cut(left, width))]
    return wordRows(does, room).map(
      (row, index) => `${palette.bold(pad(index === 0 ? left : '', column))}${GAP}${row}`,
    )
  }
  return [...commands.flatMap(beside), '', ...KEYS.flatMap(beside), '', ...wordRows(ELSE, width)]
}

const ELSE = 'All else goes to the agent that is shown. //… sends text that begins with a slash.'
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
