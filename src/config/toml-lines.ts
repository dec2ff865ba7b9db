/**
 * Where keys stand in a TOML text: `path` joined by dots (array tables with their index) → line,
 * from 1. Tolerates what doesn’t parse.
 */
export function linesOfKeys(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const arrays = new Map<string, number>()
  let table: string[] = []
  let at = 0
  let line = 1

  const remember = (path: readonly string[]): void => {
    for (let length = 1; length <= path.length; length++) {
      const key = keyOf(path.slice(0, length))
      if (!lines.has(key)) lines.set(key, line)
    }
  }

  while (at < text.length) {
    const rest = text.slice(at, endOfLine(text, at))
    const trimmed = rest.trimStart()
    at += rest.length - trimmed.length
    if (trimmed === '' || trimmed.startsWith('#')) {
      at = endOfLine(text, at) + 1
      line++
      continue
    }
    if (trimmed.startsWith('[')) {
      const double = trimmed.startsWith('[[')
      table = parseKey(trimmed.slice(double ? 2 : 1)).path
      if (double) {
        const name = keyOf(table)
        const index = (arrays.get(name) ?? -1) + 1
        arrays.set(name, index)
        table = [...table, String(index)]
      }
      lines.delete(keyOf(table))
      remember(table)
      at = endOfLine(text, at) + 1
      line++
      continue
    }
    const key = parseKey(trimmed)
    remember([...table, ...key.path])
    const end = endOfValue(text, at + key.length)
    line += text.slice(at, end).split('\n').length
    at = end + 1
  }
  return lines
}

/** Line of the key, or of the nearest key around it that has one; null where none does. */
export function lineOfKey(
  lines: ReadonlyMap<string, number>,
  path: readonly PropertyKey[],
): number | null {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(keyOf(path.slice(0, length).map(String)))
    if (line !== undefined) return line
  }
  return null
}

// Keys may contain dots when quoted, so paths are joined by something that no key contains
// unescaped.
const keyOf = (path: readonly string[]): string => JSON.stringify(path)

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** A bare, quoted or dotted key at the start of the text, and how long it is up to `=` or `]`. */
function parseKey(text: string): { path: string[]; length: number } {
  const path: string[] = []
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.?)/y
  for (;;) {
    const match = part.exec(text)
    if (match === null) break
    path.push(match[1] ?? match[2] ?? match[3] ?? '')
    if (match[4] !== '.') return { path, length: part.lastIndex }
  }
  return { path, length: part.lastIndex }
}

/**
 * Index of the line feed that ends the value (or of the end): outside of strings, brackets and
 * comments.
 */
function endOfValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '\n' && depth <= 0) return at
    if (char === '#') at = endOfLine(text, at) - 1
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    else if (char === '"' || char === "'") at = endOfString(text, at, char)
  }
  return text.length
}

function endOfString(text: string, from: number, quote: string): number {
  const long = quote.repeat(3)
  const multiline = text.startsWith(long, from)
  for (let at = from + (multiline ? 3 : 1); at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++
    else if (multiline && text.startsWith(long, at)) return at + 2
    else if (!multiline && (text[at] === quote || text[at] === '\n'))
      return text[at] === '\n' ? at - 1 : at
  }
  return text.length
}
