import type { InputLine, Observation } from '../agent-cli.ts'

/**
 * What the terminal’s title says. At a dialog that it opened by itself (login, theme) it says Ready
 * as well.
 */
export function stateOf(title: string | null): Observation {
  const sign = title?.trimStart().codePointAt(0)
  const seen = (state: Observation['state'], reason: string | null = null): Observation => ({
    state,
    reason,
    source: 'screen',
  })
  if (sign === undefined || title === null) return seen('unknown', 'its terminal has no title')
  switch (String.fromCodePoint(sign)) {
    case '◇':
      return seen('idle')
    case '✦':
    case '⏲':
      return seen('running')
    case '✋':
      return seen('waiting', 'it asks for something in its terminal')
    default:
      return seen('unknown', 'its terminal’s title doesn’t say what it does')
  }
}

// oxlint-disable-next-line no-control-regex -- the escape sequences that set colours are what this finds
const SGR = /\u001b\[[\d;:]*m/g
const plain = (row: string): string => row.replace(SGR, '')
// Attributes come before colours, in which a 7 is something else.
// oxlint-disable-next-line no-control-regex -- so is the one that shows the cursor
const CURSOR = /\u001b\[(?:[0-5];)*7(?:;[\d;]*)?m/

/**
 * The box for prompts is the last row that begins with its sign and has the cursor (one cell in
 * reverse) in it or below. Empty, it shows a hint right at the cursor.
 */
export function inputLineOf(screen: string): InputLine {
  const rows = screen.split('\n')
  const at = rows.findLastIndex((row) => /^ ?[>*!] /.test(plain(row)))
  const row = rows[at]
  if (row === undefined || !rows.slice(at).some((below) => CURSOR.test(below))) return 'unknown'
  const [before = '', after] = row.split(CURSOR)
  const [, sign, typed] = /^ ?([>*!]) (.*)$/.exec(plain(before)) ?? []
  // In shell mode whatever is typed is run.
  if (sign === '!' || /^ ?! /.test(plain(row))) return 'unknown'
  return typed === '' && after !== undefined && /^\s*Type your message\b/.test(plain(after))
    ? 'empty'
    : 'text'
}
