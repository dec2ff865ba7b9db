/**
 * What a line of a unified diff is: `meta` stands around the hunks, `hunk` begins one, `note` is
 * git’s own in it (“\ No newline at end of file”).
 */
export type DiffLineKind = 'meta' | 'hunk' | 'context' | 'old' | 'new' | 'note'

export interface DiffLine {
  readonly kind: DiffLineKind
  readonly text: string
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/**
 * The lines of a unified diff. Within a hunk its counts say where it ends: a line that was taken
 * away and began with `-- ` is no head of a file.
 */
export function* diffLines(diff: string): Generator<DiffLine> {
  let old = 0
  let added = 0
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const hunk = old === 0 && added === 0 ? HUNK.exec(text) : null
    if (hunk !== null) {
      old = Number(hunk[1] ?? 1)
      added = Number(hunk[2] ?? 1)
      yield { kind: 'hunk', text }
    } else if (text.startsWith('\\')) yield { kind: 'note', text }
    else if (old === 0 && added === 0) yield { kind: 'meta', text }
    else if (text.startsWith('+')) {
      added -= 1
      yield { kind: 'new', text }
    } else if (text.startsWith('-')) {
      old -= 1
      yield { kind: 'old', text }
    } else if (text === '' || text.startsWith(' ')) {
      old -= 1
      added -= 1
      yield { kind: 'context', text }
    } else {
      // One that was cut short.
      old = added = 0
      yield { kind: 'meta', text }
    }
  }
}

export interface ChangedFile {
  readonly path: string
  /** Where it was before, or what it was copied from; null where that is the same, or nothing. */
  readonly oldPath: string | null
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied'
  /** Lines. */
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
}

type Draft = { -readonly [Key in keyof ChangedFile]: ChangedFile[Key] }

/** The files that a diff of git’s changes, in its order. */
export function changedFiles(diff: string): ChangedFile[] {
  const files: Draft[] = []
  for (const { kind, text } of diffLines(diff)) {
    if (kind === 'meta' && text.startsWith('diff --git ')) {
      files.push({
        path: pathOfHead(text.slice('diff --git '.length)),
        oldPath: null,
        status: 'modified',
        additions: 0,
        deletions: 0,
        binary: false,
      })
      continue
    }
    const file = files.at(-1)
    if (file === undefined) continue
    if (kind === 'new') file.additions += 1
    else if (kind === 'old') file.deletions += 1
    else if (kind === 'meta') readMeta(file, text)
  }
  return files
}

function readMeta(file: Draft, text: string): void {
  const [, moved, direction, name = ''] = /^(rename|copy) (from|to) (.*)$/.exec(text) ?? []
  if (moved !== undefined) {
    file.status = moved === 'rename' ? 'renamed' : 'copied'
    if (direction === 'from') file.oldPath = unquoted(name)
    else file.path = unquoted(name)
  } else if (text.startsWith('new file mode ')) file.status = 'added'
  else if (text.startsWith('deleted file mode ')) file.status = 'deleted'
  else if (text.startsWith('Binary files ') || text === 'GIT binary patch') file.binary = true
}

/** Of `a/NAME b/NAME`, which has the same name twice where nothing else says what it is. */
function pathOfHead(names: string): string {
  const quoted = /^"(?:[^"\\]|\\.)*" (".*")$/.exec(names)?.[1]
  const path = quoted === undefined ? names.slice((names.length + 1) / 2) : unquoted(quoted)
  return path.replace(/^b\//, '')
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
}

const encoder = new TextEncoder()

/** A path as git quotes it where it has letters beyond ASCII or controls: bytes in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name
  const bytes: number[] = []
  for (const [, octal, letter, plain] of name
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined && letter in ESCAPES) bytes.push(ESCAPES[letter] ?? 0)
    else bytes.push(...encoder.encode(letter ?? plain ?? ''))
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
}
