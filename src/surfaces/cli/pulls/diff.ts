import { diffLines, type DiffLine } from '../../../domain/formats/unified-diff.ts'
import type { ToolResult } from '../../../tools/types.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { displayWidth, pad } from '../../text/width.ts'
import type { DiffPainter } from './git-colours.ts'

/** The diff line for line, coloured as git does it, so that programs which read that can. */
export const paintDiff = (diff: string, paint: DiffPainter): string[] =>
  [...diffLines(printable(diff))].map((line) => paintLine(line, paint))

function paintLine({ kind, text }: DiffLine, paint: DiffPainter): string {
  switch (kind) {
    case 'meta':
      return paint('meta', text)
    case 'hunk': {
      const [, head = text, func = ''] = /^(@@ .*? @@)(?: (.*))?$/.exec(text) ?? []
      return paint('frag', head) + (func === '' ? '' : ` ${paint('func', func)}`)
    }
    case 'old':
    case 'new':
      return paint(kind, text.slice(0, 1)) + paint(kind, text.slice(1))
    case 'context':
    case 'note':
      return paint('context', text)
  }
}

export type ChangedFiles = NonNullable<ToolResult<'pr_diff'>['files']>

/** Columns where it is not said how many there are. */
const UNKNOWN_WIDTH = 80
const LEAST_GRAPH = 10

/** A line a file with its changes drawn, and what they sum up to, as `git diff --stat` does it. */
export function statLines(files: ChangedFiles, width: number, paint: DiffPainter): string[] {
  if (files.length === 0) return []
  const counts = files.map(({ binary, additions, deletions }) =>
    binary ? 'Bin' : String(additions + deletions),
  )
  const countWidth = Math.max(...counts.map((count) => count.length))
  const around = ' '.length + ' | '.length + countWidth + ' '.length
  const columns = Number.isFinite(width) ? width : UNKNOWN_WIDTH
  // In a file or a pipe names are whole.
  const mostName = Number.isFinite(width) ? Math.max(8, width - around - LEAST_GRAPH) : Infinity
  const names = files.map((file) => shortened(nameOf(file), mostName))
  const nameWidth = Math.max(...names.map(displayWidth))
  const graph = Math.max(LEAST_GRAPH, columns - around - nameWidth)
  const most = Math.max(...files.map(({ additions, deletions }) => additions + deletions))
  const drawn = (added: number, deleted: number): string => {
    const [plus, minus] = most <= graph ? [added, deleted] : scaled(added, deleted, { most, graph })
    return paint('new', '+'.repeat(plus)) + paint('old', '-'.repeat(minus))
  }
  const rows = files.map(({ additions, deletions }, index) =>
    [
      ` ${pad(names[index] ?? '', nameWidth)} | ${(counts[index] ?? '').padStart(countWidth)}`,
      drawn(additions, deletions),
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
  return [...rows, ` ${summary(files)}`]
}

/** Nothing that changes is without a sign, and the longest fills what room there is. */
function scaled(
  added: number,
  deleted: number,
  { most, graph }: { most: number; graph: number },
): [plus: number, minus: number] {
  const signs = (lines: number): number =>
    lines === 0 ? 0 : 1 + Math.floor((lines * (graph - 1)) / most)
  const both = added > 0 && deleted > 0
  const total = Math.max(signs(added + deleted), both ? 2 : 0)
  return added < deleted
    ? [signs(added), total - signs(added)]
    : [total - signs(deleted), signs(deleted)]
}

function summary(files: ChangedFiles): string {
  const sum = (of: 'additions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[of], 0)
  const [added, deleted] = [sum('additions'), sum('deletions')]
  return [
    `${plural(files.length, 'file')} changed`,
    ...(added > 0 || deleted === 0 ? [`${plural(added, 'insertion')}(+)`] : []),
    ...(deleted > 0 || added === 0 ? [`${plural(deleted, 'deletion')}(-)`] : []),
  ].join(', ')
}

const nameOf = ({ path, old_path: old }: ChangedFiles[number]): string =>
  old === null ? printableLine(path) : `${printableLine(old)} => ${printableLine(path)}`

/** Its end, which says more: whole folders go first. */
function shortened(name: string, most: number): string {
  if (displayWidth(name) <= most) return name
  let rest = name
  while (displayWidth(rest) + 2 > most && rest.includes('/'))
    rest = rest.slice(rest.indexOf('/') + 1)
  while (displayWidth(rest) + 2 > most) rest = rest.slice(1)
  return `…/${rest}`
}

export const namesOf = (files: ChangedFiles): string[] =>
  files.map(({ path }) => printableLine(path))
