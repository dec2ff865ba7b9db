import type { ReactNode } from 'react'
import type { DiffRow } from '../../../../src/surfaces/text/diff/diff-rows.ts'
import type { FileDiff, Hunk } from '../../../../src/surfaces/text/diff/file-diffs.ts'

/** Something that stands below a line of the diff: a comment, or the form for one. */
export interface Attached {
  readonly key: string
  readonly path: string
  /** In the new version; null, and where the diff does not have it, below the name of the file. */
  readonly line: number | null
  readonly render: () => ReactNode
}

/** One line of what is shown. */
export type Line =
  | { readonly kind: 'file'; readonly key: string; readonly file: FileDiff }
  | {
      readonly kind: 'hunk'
      readonly key: string
      readonly file: FileDiff
      readonly head: string
    }
  /** Why there are no lines. */
  | { readonly kind: 'words'; readonly key: string; readonly file: FileDiff; readonly text: string }
  | {
      readonly kind: 'row'
      readonly key: string
      readonly file: FileDiff
      readonly hunk: Hunk
      readonly row: DiffRow
    }
  /** Side by side. */
  | {
      readonly kind: 'pair'
      readonly key: string
      readonly file: FileDiff
      readonly hunk: Hunk
      readonly old: DiffRow | null
      readonly now: DiffRow | null
    }
  | {
      readonly kind: 'attached'
      readonly key: string
      readonly file: FileDiff
      readonly attached: Attached
    }

export interface Layout {
  readonly split: boolean
  /** Paths of files whose lines are not shown. */
  readonly folded: ReadonlySet<string>
  readonly attached: readonly Attached[]
}

/** What is shown of a diff, from top to bottom. */
export function linesOf(files: readonly FileDiff[], layout: Layout): Line[] {
  const byPath = new Map<string, Attached[]>()
  for (const one of layout.attached) byPath.set(one.path, [...(byPath.get(one.path) ?? []), one])
  return files.flatMap((file) => linesOfFile(file, layout, byPath.get(file.path) ?? []))
}

function linesOfFile(file: FileDiff, layout: Layout, attached: readonly Attached[]): Line[] {
  const key = `${file.index}`
  const head: Line = { kind: 'file', key, file }
  if (layout.folded.has(file.path)) return [head]
  const shown = new Set<number>()
  for (const { rows } of file.hunks) for (const { line } of rows) if (line !== null) shown.add(line)
  const byLine = new Map<number | null, Attached[]>()
  for (const one of attached) {
    const line = one.line !== null && shown.has(one.line) ? one.line : null
    byLine.set(line, [...(byLine.get(line) ?? []), one])
  }
  const below = (line: number | null): Line[] =>
    (byLine.get(line) ?? []).map((one) => ({
      kind: 'attached',
      key: `${key}:${one.key}`,
      file,
      attached: one,
    }))
  return [
    head,
    ...below(null),
    ...wordsOf(file).map((text): Line => ({ kind: 'words', key: `${key}:words`, file, text })),
    ...file.hunks.flatMap((hunk, at): Line[] => {
      const own = `${key}:${at}`
      const lines = layout.split ? pairs(file, hunk, own) : rows(file, hunk, own)
      return [
        { kind: 'hunk', key: own, file, head: hunk.head },
        ...lines.flatMap((line) => {
          const number = lineOf(line)
          return number === null ? [line] : [line, ...below(number)]
        }),
      ]
    }),
  ]
}

/** The number of a shown line in the new version. */
export function lineOf(line: Line): number | null {
  if (line.kind === 'row') return line.row.line
  return line.kind === 'pair' ? (line.now?.line ?? null) : null
}

function wordsOf({ binary, hunks, status, facts }: FileDiff): string[] {
  if (binary) return ['A binary file: its content is not shown.']
  if (hunks.length > 0) return []
  if (status === 'renamed' || status === 'copied') return ['The same content under another name.']
  if (facts.length > 0) return ['The same content.']
  return [status === 'added' || status === 'deleted' ? 'An empty file.' : 'No lines changed.']
}

const rows = (file: FileDiff, hunk: Hunk, key: string): Line[] =>
  hunk.rows.map((row, index) => ({ kind: 'row', key: `${key}:${index}`, file, hunk, row }))

function pairs(file: FileDiff, hunk: Hunk, key: string): Line[] {
  const lines: Line[] = []
  hunk.rows.forEach((row, index) => {
    const own = { kind: 'pair', key: `${key}:${index}`, file, hunk } as const
    const other = file.counterparts.get(row) ?? null
    if (row.kind === 'context') lines.push({ ...own, old: row, now: row })
    else if (row.kind === 'old') lines.push({ ...own, old: row, now: other })
    else if (other === null) lines.push({ ...own, old: null, now: row })
  })
  return lines
}

/** The lines of the new version between two that are shown, in one file; null where none is. */
export function linesBetween(
  lines: readonly Line[],
  from: number,
  to: number,
): { readonly path: string; readonly from: number; readonly line: number } | null {
  const at = lines[to]
  if (at === undefined) return null
  const numbers = lines
    .slice(Math.min(from, to), Math.max(from, to) + 1)
    .filter(({ file }) => file === at.file)
    .flatMap((line) => lineOf(line) ?? [])
  const [first] = numbers
  const last = numbers.at(-1)
  return first === undefined || last === undefined
    ? null
    : { path: at.file.path, from: first, line: last }
}
