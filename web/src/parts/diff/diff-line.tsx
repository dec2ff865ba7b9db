import { memo, useEffect, useState, useSyncExternalStore } from 'react'
import { linesWords } from '../../../../src/domain/formats/line-range.ts'
import type { DiffRow } from '../../../../src/surfaces/text/diff/diff-rows.ts'
import type { FileDiff } from '../../../../src/surfaces/text/diff/file-diffs.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { highlight, highlighted, tokensOf } from './highlight.ts'
import type { Line } from './lines.ts'
import { segmentsOf, wordChanges, type Span } from './words.ts'

/** Pixels, until they are measured. */
export const HEIGHTS: Readonly<Record<Line['kind'], number>> = {
  file: 42,
  hunk: 30,
  words: 44,
  row: 21,
  pair: 21,
  attached: 110,
}

interface Props {
  readonly line: Line
  readonly folded: boolean
  readonly fold: (path: string) => void
  /**
   * Something is to be said of the line with this key, of its new version unless `side` says
   * otherwise; undefined: nothing can be.
   */
  readonly comment: ((key: string, side?: 'left') => void) | undefined
  /** It says nothing that is not said elsewhere. */
  readonly decoration?: boolean
}

export const DiffLine = memo(function DiffLine({
  line,
  folded,
  fold,
  comment,
  decoration = false,
}: Props) {
  switch (line.kind) {
    case 'file':
      return <FileHead file={line.file} folded={folded} fold={fold} decoration={decoration} />
    case 'hunk':
      return (
        <div role="gridcell" className="diff-hunk">
          {line.head}
        </div>
      )
    case 'words':
      return (
        <div role="gridcell" className="diff-words">
          {line.text}
        </div>
      )
    case 'row':
      return <Row line={line} comment={comment} />
    case 'pair':
      return <Pair line={line} comment={comment} />
    case 'attached':
      return (
        <div role="gridcell" className="diff-attached" data-inner>
          {line.attached.render()}
        </div>
      )
  }
})

const STATUS: Readonly<Record<FileDiff['status'], readonly [string, string]>> = {
  added: ['added', 'good'],
  deleted: ['deleted', 'bad'],
  modified: ['', 'dim'],
  renamed: ['renamed', 'special'],
  copied: ['copied', 'special'],
}

function FileHead({
  file,
  folded,
  fold,
  decoration,
}: Pick<Props, 'folded' | 'fold'> & { readonly file: FileDiff; readonly decoration: boolean }) {
  const [word, tone] = STATUS[file.status]
  const name = printableLine(file.path)
  return (
    <div role={decoration ? undefined : 'gridcell'} className="diff-file">
      <button
        type="button"
        className="diff-fold"
        tabIndex={-1}
        aria-expanded={!folded}
        aria-label={`${folded ? 'Show' : 'Hide'} the lines of ${name}`}
        onClick={() => fold(file.path)}
      >
        {folded ? '▸' : '▾'}
      </button>
      <bdi className="mono ellipsis" title={name}>
        {file.oldPath !== null && (
          <span className="tone-dim">{printableLine(file.oldPath)} → </span>
        )}
        {name}
      </bdi>
      {word !== '' && <span className={`chip tone-${tone}`}>{word}</span>}
      {file.facts.map((fact) => (
        <span key={fact} className="chip">
          {fact}
        </span>
      ))}
      <span className="diff-counts mono">
        <span className="tone-good">+{file.additions}</span>{' '}
        <span className="tone-bad">−{file.deletions}</span>
      </span>
    </div>
  )
}

const SIGNS: Readonly<Partial<Record<DiffRow['kind'], string>>> = { new: '+', old: '−' }

function Row({
  line,
  comment,
}: {
  readonly line: Extract<Line, { kind: 'row' }>
  readonly comment: Props['comment']
}) {
  const { row, file } = line
  return (
    <div className={`diff-row ${row.kind}`}>
      <span role="gridcell" className="diff-number">
        {row.old ?? ''}
      </span>
      <span role="gridcell" className="diff-number">
        {row.line ?? ''}
        <CommentButton row={row} of={line.key} comment={comment} />
      </span>
      <span role="gridcell" className="diff-code">
        <span className="diff-sign">{SIGNS[row.kind] ?? ' '}</span>
        <Code line={line} file={file} row={row} />
      </span>
    </div>
  )
}

function Pair({
  line,
  comment,
}: {
  readonly line: Extract<Line, { kind: 'pair' }>
  readonly comment: Props['comment']
}) {
  const { old, now, file } = line
  const side = (row: DiffRow | null, isNew: boolean) => (
    <>
      <span role="gridcell" className={`diff-number ${row?.kind ?? 'none'}`}>
        {(isNew ? row?.line : row?.old) ?? ''}
        {row !== null && (isNew || row.kind === 'old') && (
          <CommentButton row={row} of={line.key} comment={comment} />
        )}
      </span>
      <span role="gridcell" className={`diff-code ${row?.kind ?? 'none'}`}>
        {row !== null && (
          <>
            <span className="diff-sign">{SIGNS[row.kind] ?? ' '}</span>
            <Code line={line} file={file} row={row} />
          </>
        )}
      </span>
    </>
  )
  return (
    <div className="diff-pair">
      {side(old, false)}
      {side(now, true)}
    </div>
  )
}

/** `of`: key of the line that it stands on. */
function CommentButton({
  row,
  of,
  comment,
}: {
  readonly row: DiffRow
  readonly of: string
  readonly comment: Props['comment']
}) {
  const side = row.kind === 'old' ? 'left' : undefined
  const line = side === 'left' ? row.old : row.line
  if (comment === undefined || line === null) return null
  return (
    <button
      type="button"
      className="diff-comment"
      tabIndex={-1}
      aria-label={`Comment on ${linesWords(line, null, side)}`}
      onClick={() => comment(of, side)}
    >
      +
    </button>
  )
}

/** Characters of a line that are shown until one asks for the rest. */
const SHOWN = 1500

function Code({
  line,
  file,
  row,
}: {
  readonly line: Extract<Line, { kind: 'row' | 'pair' }>
  readonly file: FileDiff
  readonly row: DiffRow
}) {
  const [isWhole, showWhole] = useState(false)
  useSyncExternalStore(highlighted.subscribe, () => tokensOf(row))
  useEffect(() => highlight(file, line.hunk), [file, line.hunk])
  const isCut = !isWhole && row.text.length > SHOWN
  const text = isCut ? row.text.slice(0, SHOWN) : row.text
  const segments = segmentsOf(text, tokensOf(row), changedIn(file, row))
  return (
    <>
      <span className="diff-text">
        {segments.map(({ text: words, token, changed }, index) =>
          changed ? (
            <mark key={index} className={token}>
              {words}
            </mark>
          ) : (
            <span key={index} className={token}>
              {words}
            </span>
          ),
        )}
      </span>
      {isCut && (
        <button type="button" className="button diff-rest" onClick={() => showWhole(true)}>
          {row.text.length - SHOWN} more characters
        </button>
      )}
      {file.unended.has(row) && (
        <span className="diff-unended" title="No line end at the end of the file">
          ⊘ no line end
        </span>
      )}
    </>
  )
}

const NOTHING: readonly Span[] = []
const changes = new WeakMap<DiffRow, readonly Span[]>()

/** The words of a line that its counterpart does not have. */
function changedIn({ counterparts }: FileDiff, row: DiffRow): readonly Span[] {
  const other = counterparts.get(row)
  if (other === undefined) return NOTHING
  const known = changes.get(row)
  if (known !== undefined) return known
  const [old, now] = row.kind === 'old' ? [row, other] : [other, row]
  const found = wordChanges(old.text, now.text)
  changes.set(old, found?.old ?? NOTHING)
  changes.set(now, found?.now ?? NOTHING)
  return changes.get(row) ?? NOTHING
}
