/**
 * Sequences of ECMA-48 and xterm: control strings (OSC, DCS …) with their end, CSI, and two- and
 * three-byte escapes; also one that is cut off, or an escape alone.
 */
const SEQUENCE =
  /\u001B(?:[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\|$)|\[[0-?]*[ -/]*(?:[@-~]|$)|[ -/]*(?:[0-~]|$)|)/g
const COLOUR = /^\u001B\[[0-9;:]*m$/
/** Also what turns the direction of text, by which it can pose as other text. */
const CONTROL =
  /[\u0000-\u0008\u000B-\u001A\u001C-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/**
 * A line of a program’s output for a person’s terminal: what a carriage return overwrote is gone,
 * and so is everything that could steer the terminal. `styled` keeps colours and attributes, and
 * ends them.
 */
export function plainLine(line: string, styled: boolean): string {
  const shown = line.replace(/\r+$/, '')
  const visible = shown.slice(shown.lastIndexOf('\r') + 1)
  if (
    !/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(
      visible,
    )
  )
    return visible
  let coloured = false
  const text = visible
    .replace(SEQUENCE, (sequence) => {
      if (!styled || !COLOUR.test(sequence)) return ''
      coloured = true
      return sequence
    })
    .replace(CONTROL, '')
  return coloured ? `${text}\u001B[0m` : text
}
