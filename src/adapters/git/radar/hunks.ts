import type { FileHunks, LineRange } from './radar-git.ts'

interface File {
  path: string
  newPath: string
  change: FileHunks['change']
  binary: boolean
  hunks: { base: LineRange; own: LineRange; text: string[] }[]
}

const range = (from: string | undefined, lines: string | undefined): LineRange => ({
  from: Number(from),
  lines: lines === undefined ? 1 : Number(lines),
})

/** Undoes the quotes of git around a name with special characters (core.quotePath off). */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b' }
  return name
    .slice(1, -1)
    .replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, one: string) =>
      octal === undefined ? (escapes[one] ?? one) : String.fromCharCode(Number.parseInt(octal, 8)),
    )
}

/** Reads a unified diff without context, as `git diff-tree -p -M --unified=0` prints it. */
export function parseHunks(text: string): FileHunks[] {
  const files: File[] = []
  let file: File | undefined
  /** Lines of the hunk that are still to come, so that no line of a file is taken for more. */
  let left = 0
  for (const line of text.split('\n')) {
    const hunk = file?.hunks.at(-1)
    if (left > 0 && hunk !== undefined) {
      // What is said of the line before: that no line break ends it.
      if (line.startsWith('\\')) continue
      hunk.text.push(line)
      left -= 1
      continue
    }
    if (line.startsWith('diff --git ')) {
      const name = nameIn(line.slice('diff --git '.length))
      file = { path: name, newPath: name, change: 'mode', binary: false, hunks: [] }
      files.push(file)
      continue
    }
    if (file === undefined) continue
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (found !== null) {
      const [, from, lines, ownFrom, ownLines] = found
      const [base, own] = [range(from, lines), range(ownFrom, ownLines)]
      file.hunks.push({ base, own, text: [] })
      left = base.lines + own.lines
      if (file.change === 'mode') file.change = 'modified'
    } else if (line.startsWith('new file mode')) file.change = 'added'
    else if (line.startsWith('deleted file mode')) file.change = 'deleted'
    else if (line.startsWith('rename from ')) {
      file.path = unquoted(line.slice('rename from '.length))
      file.change = 'renamed'
    } else if (line.startsWith('rename to '))
      file.newPath = unquoted(line.slice('rename to '.length))
    else if (line.startsWith('Binary files ')) {
      file.binary = true
      if (file.change === 'mode') file.change = 'modified'
    }
  }
  return files
}

/** Of `a/NAME b/NAME`; where the two are not the same, lines below it say so. */
function nameIn(names: string): string {
  if (names.startsWith('"')) return unquoted(names.slice(0, names.indexOf('" ') + 1)).slice(2)
  return names.slice(2, (names.length - 1) / 2)
}
