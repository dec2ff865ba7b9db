import { changedFiles, diffLines, type DiffLineKind } from '../../../domain/formats/unified-diff.ts'
import { printable, printableLine } from '../printable.ts'

/** A line of a diff as it is reviewed. */
export interface DiffRow {
  /** `file` begins one. */
  readonly kind: DiffLineKind | 'file'
  /** Without the sign in front; safe to print. */
  readonly text: string
  readonly path: string
  /** Its number in the new version; null where it isn’t in that. */
  readonly line: number | null
  /** The same of the old one. */
  readonly old: number | null
}

/** Lines of git’s that say nothing which isn’t said already. */
const TOLD = /^(?:diff --git |index |--- |\+\+\+ |similarity index )/

/** The rows of a unified diff, with a row in front of each file. */
export function diffRows(diff: string): DiffRow[] {
  const files = changedFiles(diff)
  const rows: DiffRow[] = []
  let path = ''
  let count = -1
  let line = 0
  let old = 0
  for (const { kind, text } of diffLines(diff)) {
    const row = (shown: string, at: Partial<DiffRow> = {}): void =>
      void rows.push({ kind, text: shown, path, line: null, old: null, ...at })
    switch (kind) {
      case 'meta':
        if (text.startsWith('diff --git ')) {
          const file = files[++count]
          path = file?.path ?? ''
          const counts = file === undefined ? '' : ` +${file.additions} -${file.deletions}`
          row(`${printableLine(path)}${counts}`, { kind: 'file' })
        } else if (!TOLD.test(text) && text !== '') row(printableLine(text))
        break
      case 'hunk': {
        const [, from = '1', to = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? []
        old = Number(from)
        line = Number(to)
        row(printableLine(text))
        break
      }
      case 'note':
        row(printableLine(text))
        break
      case 'old':
        row(shownOf(text), { old: old++ })
        break
      case 'new':
        row(shownOf(text), { line: line++ })
        break
      case 'context':
        row(shownOf(text), { line: line++, old: old++ })
        break
    }
  }
  return rows
}

const shownOf = (text: string): string =>
  printable(text.slice(1).replace(/\r$/, '')).replaceAll('\n', ' ')
