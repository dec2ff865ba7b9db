import type { ReactNode } from 'react'
import type { Side } from '../../../../src/domain/formats/line-range.ts'
import { linesAbout } from '../../../../src/surfaces/text/diff/draft-comment.ts'
import type { DiffRow } from '../../../../src/surfaces/text/diff/diff-rows.ts'
import type { FileDiff, Hunk } from '../../../../src/surfaces/text/diff/file-diffs.ts'

/** Something that stands below a line of the diff: a comment, or the form for one. */
export interface Attached {
  readonly key: string
  readonly path: string
  /** Null, and where the diff does not have it, below the name of the file. */
  readonly line: number | null
  /** Version that the line is of; absent: the new one. */
  readonly side?: Side | undefined
  readonly render: () => ReactNode
}

/** Lines of a file, in their new version unless `side` says otherwise; `from` is the first. */
export interface Place {
  readonly path: string
  readonly from: number
  readonly line: number
  readonly side?: 'left'
  /** What stands on them. */
  readonly text: readonly string[]
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
  const shown = new Set(file.hunks.flatMap(({ rows }) => rows.flatMap((row) => numbersOf([row]))))
  const byLine = new Map<string, Attached[]>()
  for (const one of attached) {
    const number = `${one.side ?? 'right'}:${one.line}`
    const at = shown.has(number) ? number : ''
    byLine.set(at, [...(byLine.get(at) ?? []), one])
  }
  const below = (number: string): Line[] =>
    (byLine.get(number) ?? []).map((one) => ({
      kind: 'attached',
      key: `${key}:${one.key}`,
      file,
      attached: one,
    }))
  return [
    head,
    ...below(''),
    ...wordsOf(file).map((text): Line => ({ kind: 'words', key: `${key}:words`, file, text })),
    ...file.hunks.flatMap((hunk, at): Line[] => {
      const own = `${key}:${at}`
      const lines = layout.split ? pairs(file, hunk, own) : rows(file, hunk, own)
      return [
        { kind: 'hunk', key: own, file, head: hunk.head },
        ...lines.flatMap((line) => [line, ...numbersOf(rowsOf(line)).flatMap(below)]),
      ]
    }),
  ]
}

/** What a shown line has of the files: side by side the old one and the new one. */
export function rowsOf(line: Line): DiffRow[] {
  if (line.kind === 'row') return [line.row]
  if (line.kind !== 'pair') return []
  return [...new Set([line.old, line.now])].filter((row) => row !== null)
}

/** Their numbers, each with its version. */
const numbersOf = (rows: readonly DiffRow[]): string[] =>
  rows.flatMap(({ line, old }) => [
    ...(line === null ? [] : [`right:${line}`]),
    ...(old === null ? [] : [`left:${old}`]),
  ])

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

/**
 * What a comment on the shown lines between two is about, in one file: those of the new version,
 * and where all were deleted, or `side` says so, those of the old one. Null where there are none.
 */
export function linesBetween(
  lines: readonly Line[],
  from: number,
  to: number,
  side?: 'left',
): Place | null {
  const at = lines[to]
  if (at === undefined) return null
  const rows = lines
    .slice(Math.min(from, to), Math.max(from, to) + 1)
    .filter(({ file }) => file === at.file)
    .flatMap(rowsOf)
    .filter(({ old }) => side === undefined || old !== null)
  const about = linesAbout(
    at.file.path,
    side === undefined ? rows : rows.map(({ old }) => ({ old, line: null })),
  )
  if (about === null) return null
  const number = about.side === 'left' ? 'old' : 'line'
  return { ...about, text: rows.filter((row) => row[number] !== null).map(textOf) }
}

/** Characters of a line by which it is known again. */
const KNOWN = 400

export const textOf = ({ text }: DiffRow): string => text.slice(0, KNOWN)
