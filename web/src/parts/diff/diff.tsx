import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { fileDiffs } from '../../../../src/surfaces/text/diff/file-diffs.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { Empty } from '../states.tsx'
import { DiffLine, HEIGHTS } from './diff-line.tsx'
import { FileTree } from './file-tree.tsx'
import { linesBetween, linesOf, rowsOf, type Attached, type Line, type Place } from './lines.ts'
import { useDiffKeys } from './keys.ts'
import { useSplit } from './use-split.ts'
import './diff.css'

export type { Attached, Place } from './lines.ts'

const NONE: readonly Attached[] = []

/**
 * A unified diff of git’s: fills what it stands in, which needs a height. Keys work while it has
 * the focus.
 */
export function Diff({
  text,
  attached = NONE,
  comment,
  reveal,
  actions,
}: {
  readonly text: string
  /** What stands below lines. */
  readonly attached?: readonly Attached[]
  /** Something is to be said of these lines; without, nothing can be. */
  readonly comment?: ((place: Place) => void) | undefined
  /** Goes there; another object goes there again. */
  readonly reveal?: Pick<Attached, 'path' | 'line' | 'side'> | null | undefined
  /** Stands at the end of the bar above it. */
  readonly actions?: ReactNode
}) {
  const files = useMemo(() => fileDiffs(text), [text])
  const frame = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const { split, isWide, toggle } = useSplit(frame)
  const [isTreeShown, showTree] = useState(true)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const lines = useMemo(
    () => linesOf(files, { split, folded, attached }),
    [files, split, folded, attached],
  )
  const linesNow = useRef(lines)
  useEffect(() => {
    linesNow.current = lines
  })
  const [cursor, setCursor] = useState<{ key: string; anchor: string | null } | null>(null)
  const at = useMemo(() => indexOf(lines, cursor?.key), [lines, cursor])
  const from = useMemo(() => indexOf(lines, cursor?.anchor ?? undefined), [lines, cursor])
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[lines[index]?.kind ?? 'row'],
    overscan: 16,
    getItemKey: (index) => lines[index]?.key ?? index,
  })
  const go = (index: number, align: 'auto' | 'start' = 'auto', keepAnchor = true) => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, index))]
    if (line === undefined) return
    setCursor((before) => ({ key: line.key, anchor: keepAnchor ? (before?.anchor ?? null) : null }))
    rows.scrollToIndex(lines.indexOf(line), { align })
  }
  const openFile = (path: string) => {
    setFolded((before) => new Set([...before].filter((one) => one !== path)))
    go(
      lines.findIndex(({ kind, file }) => kind === 'file' && file.path === path),
      'start',
      false,
    )
  }
  const fold = useCallback(
    (path: string) =>
      setFolded((before) => {
        const next = new Set(before)
        if (!next.delete(path)) next.add(path)
        return next
      }),
    [],
  )
  const commentAt = (index: number, side?: 'left') => {
    const place = linesBetween(lines, from < 0 ? index : from, index, side)
    if (place === null) return
    comment?.(place)
    setCursor((before) => (before === null ? null : { ...before, anchor: null }))
  }
  // The same for all lines, so that those which did not change are not drawn again.
  const latest = useRef(commentAt)
  useEffect(() => {
    latest.current = commentAt
  })
  const commentOn = useCallback(
    (key: string, side?: 'left') => latest.current(indexOf(linesNow.current, key), side),
    [],
  )
  const onKey = useDiffKeys({
    lines,
    at,
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / HEIGHTS.row) - 2),
    go,
    mark: () =>
      setCursor((now) =>
        now === null ? null : { ...now, anchor: now.anchor === null ? now.key : null },
      ),
    comment: comment === undefined ? undefined : () => commentAt(at),
    fold,
    split: toggle,
  })

  useEffect(() => {
    if (reveal == null) return
    const index = lines.findIndex(
      (line) =>
        line.file.path === reveal.path &&
        (reveal.line === null
          ? line.kind === 'file'
          : rowsOf(line).some(
              (row) => (reveal.side === 'left' ? row.old : row.line) === reveal.line,
            )),
    )
    const found = lines[index]
    if (found === undefined) return
    setCursor({ key: found.key, anchor: null })
    rows.scrollToIndex(index, { align: 'center' })
    // Only where somebody is to be taken there, not with each change of what is shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [reveal])

  if (files.length === 0) return <Empty title="It changes nothing" />
  const items = rows.getVirtualItems()
  const top = lines[items.find(({ end }) => end > (rows.scrollOffset ?? 0))?.index ?? 0]
  const additions = files.reduce((sum, file) => sum + file.additions, 0)
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0)
  return (
    <div className="diff" ref={frame}>
      <div className="diff-bar">
        {isWide && files.length > 1 && (
          <button
            type="button"
            className="button quiet"
            aria-pressed={isTreeShown}
            onClick={() => showTree(!isTreeShown)}
          >
            Files
          </button>
        )}
        <span className="hint">
          {plural(files.length, 'file')}{' '}
          <span className="tone-good">+{additions.toLocaleString()}</span>{' '}
          <span className="tone-bad">−{deletions.toLocaleString()}</span>
        </span>
        <span className="diff-space" />
        {isWide && (
          <span className="segments" role="group" aria-label="How the diff is laid out">
            <button type="button" aria-pressed={!split} onClick={split ? toggle : undefined}>
              Unified
            </button>
            <button type="button" aria-pressed={split} onClick={split ? undefined : toggle}>
              Split
            </button>
          </span>
        )}
        {actions}
      </div>
      <div className="diff-body">
        {isWide && isTreeShown && files.length > 1 && (
          <FileTree files={files} current={top?.file.path} open={openFile} />
        )}
        <div
          ref={scroller}
          className="diff-lines"
          role="grid"
          aria-label="Diff"
          aria-rowcount={lines.length}
          aria-activedescendant={at < 0 ? undefined : `line-${lines[at]?.key}`}
          tabIndex={0}
          onKeyDown={onKey}
        >
          {top !== undefined && top.kind !== 'file' && (
            <div className="diff-stuck" aria-hidden="true">
              <DiffLine
                line={{ kind: 'file', key: 'stuck', file: top.file }}
                folded={false}
                fold={fold}
                comment={undefined}
                decoration
              />
            </div>
          )}
          <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
            {items.map(({ index, key, start }) => {
              const line = lines[index]
              if (line === undefined) return null
              return (
                <div
                  key={key}
                  id={`line-${line.key}`}
                  role="row"
                  aria-rowindex={index + 1}
                  aria-selected={index === at}
                  data-index={index}
                  ref={rows.measureElement}
                  className={`diff-at${index === at ? ' here' : ''}${isWithin(index, from, at) ? ' marked' : ''}`}
                  style={{ transform: `translateY(${start}px)` }}
                  onClick={(event) => {
                    if (!isText(event.target)) return
                    setCursor((before) => ({
                      key: line.key,
                      anchor: event.shiftKey ? (before?.anchor ?? before?.key ?? null) : null,
                    }))
                  }}
                >
                  <DiffLine
                    line={line}
                    folded={folded.has(line.file.path)}
                    fold={fold}
                    comment={comment === undefined ? undefined : commentOn}
                  />
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

const indexOf = (lines: readonly Line[], key: string | undefined): number =>
  key === undefined ? -1 : lines.findIndex((line) => line.key === key)

const isWithin = (index: number, from: number, at: number): boolean =>
  from >= 0 && at >= 0 && index >= Math.min(from, at) && index <= Math.max(from, at)

/** What is clicked is the line, and nothing on it that does something else. */
const isText = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('button, a, textarea, input, [data-inner]') === null
