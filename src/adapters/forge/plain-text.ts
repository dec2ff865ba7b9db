/**
 * Control sequences, strings (titles, links: introducer to terminator, within a line) and other
 * escapes. Every part stops at the next introducer, so that hostile text costs no more than its
 * length; node:util’s stripVTControlCharacters takes its square.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])(?:[^\u0007\u001b\u0080-\u009f\n]*(?:\u0007|\u001b\\|\u009c))?|\u001b[ -/]*[0-~]?/g

/**
 * Text of programs as data: without escape sequences and control characters, what a carriage return
 * overwrote left out.
 */
export function plainText(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCE, '')
    .split('\n')
    .map((line) => {
      let end = line.length
      while (end > 0 && line[end - 1] === '\r') end -= 1
      const shown = line.slice(0, end)
      return shown.slice(shown.lastIndexOf('\r') + 1).replace(/[^\P{Cc}\t]/gu, '')
    })
    .join('\n')
}
