/** How many levels of lists and objects data from outside may have. */
export const MAX_DEPTH = 100
/** What carries the data adds some of its own: JSON-RPC, a spooled hook, a line of a transcript. */
const ENVELOPE = 20

/**
 * The only reader of JSON that comes from outside this process. What is nested too deeply is
 * refused before it is parsed, since whatever walks it afterwards, JSON.stringify and schemas
 * included, would run out of stack: a SyntaxError, as for everything else that isn’t JSON to us.
 */
export function parseJson(text: string): unknown {
  requireShallow(text)
  return JSON.parse(text)
}

/** Throws a SyntaxError where `parseJson` would for depth; for texts that another parser reads. */
export function requireShallow(text: string): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === OPEN_LIST || character === OPEN_OBJECT) depth++
    else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--
    if (depth > MAX_DEPTH + ENVELOPE)
      throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Position of the quote that ends the string which begins at `start`; of the text’s end where none
 * does.
 */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
