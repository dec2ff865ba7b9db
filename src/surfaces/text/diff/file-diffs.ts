import { changedFiles, type ChangedFile } from '../../../domain/formats/unified-diff.ts'
import { printableLine } from '../printable.ts'
import { diffRows, type DiffRow } from './diff-rows.ts'

/** Lines that changed together, with what stands around them. */
export interface Hunk {
  /** What git says in front of it: `@@ -1,3 +1,4 @@ function main`. */
  readonly head: string
  readonly rows: readonly DiffRow[]
}

export interface FileDiff extends ChangedFile {
  /** Its place in the diff, from 0. */
  readonly index: number
  readonly hunks: readonly Hunk[]
  /** What is not in its lines, in words: `mode 100644 → 100755`. */
  readonly facts: readonly string[]
  /**
   * Of a line that was replaced, the one in its place, and the other way round: the first with the
   * first, and so on.
   */
  readonly counterparts: ReadonlyMap<DiffRow, DiffRow>
  /** Lines without a line end. */
  readonly unended: ReadonlySet<DiffRow>
}

/** A unified diff of git’s, file by file. */
export function fileDiffs(diff: string): FileDiff[] {
  const files = changedFiles(diff)
  const rows = diffRows(diff)
  const starts = rows.flatMap(({ kind }, index) => (kind === 'file' ? [index] : []))
  return starts.flatMap((start, index) => {
    const file = files[index]
    return file === undefined
      ? []
      : [{ ...file, index, ...partsOf(rows.slice(start + 1, starts[index + 1])) }]
  })
}

type Parts = Pick<FileDiff, 'hunks' | 'facts' | 'counterparts' | 'unended'>

function partsOf(rows: readonly DiffRow[]): Parts {
  const hunks: { head: string; rows: DiffRow[] }[] = []
  const facts: string[] = []
  const unended = new Set<DiffRow>()
  for (const row of rows) {
    const hunk = hunks.at(-1)
    if (row.kind === 'hunk') hunks.push({ head: row.text, rows: [] })
    else if (row.kind === 'meta') facts.push(row.text)
    else if (row.kind === 'note') {
      const before = hunk?.rows.at(-1)
      if (before !== undefined) unended.add(before)
    } else hunk?.rows.push(row)
  }
  return {
    hunks,
    facts: factsOf(facts),
    counterparts: new Map(hunks.flatMap((hunk) => pairsOf(hunk.rows))),
    unended,
  }
}

const KINDS: Readonly<Record<string, string>> = {
  '100755': 'executable',
  '120000': 'symbolic link',
  '160000': 'submodule',
}

/** What its status and its lines do not say already. */
function factsOf(meta: readonly string[]): string[] {
  const after = (start: string): string | undefined =>
    meta.find((line) => line.startsWith(start))?.slice(start.length)
  const [old, now] = [after('old mode '), after('new mode ')]
  const kind = KINDS[after('new file mode ') ?? after('deleted file mode ') ?? '']
  const [same] = meta.flatMap((line) => /^similarity index (\d+%)$/.exec(line)?.[1] ?? [])
  return [
    ...(old !== undefined && now !== undefined ? [`mode ${old} → ${now}`] : []),
    ...(kind === undefined ? [] : [kind]),
    ...(same === undefined ? [] : [`${same} the same`]),
  ].map(printableLine)
}

function pairsOf(rows: readonly DiffRow[]): [DiffRow, DiffRow][] {
  const pairs: [DiffRow, DiffRow][] = []
  let old: DiffRow[] = []
  let added: DiffRow[] = []
  const end = () => {
    old.forEach((row, index) => {
      const other = added[index]
      if (other !== undefined) pairs.push([row, other], [other, row])
    })
    old = []
    added = []
  }
  for (const row of rows) {
    if (row.kind === 'new') added.push(row)
    else {
      // Lines that are taken away after some that came begin another change.
      if (row.kind !== 'old' || added.length > 0) end()
      if (row.kind === 'old') old.push(row)
    }
  }
  end()
  return pairs
}
