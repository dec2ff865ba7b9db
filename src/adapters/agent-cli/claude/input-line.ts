import type { InputLine } from '../agent-cli.ts'

const SGR = /\u001B\[([0-9;]*)m/g

/**
 * Text without escape sequences, and without what is dim: a hint in an empty box. The character
 * under the cursor belongs to the hint that follows it.
 */
function undimmed(row: string): string {
  let text = ''
  let cursor = ''
  let dim = false
  let inverse = false
  const write = (part: string) => {
    if (part === '') return
    if (inverse) cursor += part
    else if (dim) cursor = ''
    else {
      text += cursor + part
      cursor = ''
    }
  }
  let at = 0
  for (const match of row.matchAll(SGR)) {
    write(row.slice(at, match.index))
    at = match.index + match[0].length
    for (const code of (match[1] === '' ? '0' : (match[1] ?? '0'))
      .replace(/[34]8;(5;\d+|2;\d+;\d+;\d+);?/g, '')
      .split(';')) {
      if (code === '0') dim = inverse = false
      else if (code === '2') dim = true
      else if (code === '22') dim = false
      else if (code === '7') inverse = true
      else if (code === '27') inverse = false
    }
  }
  write(row.slice(at))
  return text + cursor
}

const plain = (row: string): string => row.replace(SGR, '')

/**
 * The box stands between the last two rules, and begins with its prompt sign (`!` for a shell
 * command); a menu or dialog takes its place.
 */
export function claudeInputLine(screen: string): InputLine {
  const rows = screen.split('\n')
  const rules = rows.flatMap((row, index) => (/^\s*[─━]{10}/.test(plain(row)) ? [index] : []))
  const [top, bottom] = rules.slice(-2)
  if (top === undefined || bottom === undefined) return 'unknown'
  const [first, ...rest] = rows.slice(top + 1, bottom)
  const sign = /^\s*([❯>!])(?=[\s\u00A0]|$)/.exec(plain(first ?? ''))?.[1]
  if (first === undefined || sign === undefined) return 'unknown'
  if (sign === '!') return 'text'
  const typed = [undimmed(first).replace(/^\s*[❯>]/, ''), ...rest.map(undimmed)].join('')
  return typed.replace(/[\s\u00A0]/g, '') === '' ? 'empty' : 'text'
}
