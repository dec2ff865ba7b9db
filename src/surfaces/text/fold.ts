import { displayWidth } from './width.ts'

/**
 * Lines cut between words to at most `width` columns; what goes on below begins where its line did.
 */
export const fold = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => foldLine(line, width))
    .join('\n')

function foldLine(line: string, width: number): string {
  if (displayWidth(line) <= width) return line
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const words = line.slice(indent.length).split(' ')
  const rows: string[] = []
  let row = indent
  let begun = false
  for (const word of words) {
    if (begun && displayWidth(`${row} ${word}`) > width) {
      rows.push(row)
      row = indent + word
    } else {
      row += begun ? ` ${word}` : word
      begun = true
    }
  }
  return [...rows, row].map((each) => each.trimEnd()).join('\n')
}
