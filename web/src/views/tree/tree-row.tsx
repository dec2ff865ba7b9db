import { memo } from 'react'
import { Link } from 'wouter'
import type { LiveNode } from '../../live/tree.ts'
import { CellText, palette } from '../../parts/cell.tsx'
import { useNow } from '../../parts/now.ts'
import {
  agentState,
  checksCell,
  costCell,
  pullCell,
  tokensCell,
  turnName,
} from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { agentPath, pullPath } from '../../shell/places.ts'
import type { TreeLine } from './flatten.ts'

/** Of a row. Pixels; the same in tree.css. */
export const HEIGHT = 34
/** Of a generation. Pixels; the same in tree.css. */
const INDENT = 18

interface Props extends TreeLine {
  /** Pixels from the top of the list. */
  readonly top: number
  readonly shorts: ReadonlyMap<string, string>
  readonly isSelected: boolean
  readonly open: (id: string) => void
  readonly fold: (id: string) => void
  readonly select: (id: string) => void
}

/** Drawn again only where its own node changed. */
export const TreeRow = memo(function TreeRow({
  node,
  depth,
  matches,
  isFolded,
  hidden,
  top,
  shorts,
  isSelected,
  open,
  fold,
  select,
}: Props) {
  const turn = turnName(node, shorts)
  const mail = node.undelivered + node.unread
  return (
    <div
      id={`agent-${node.id}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      {...(node.children.length > 0 ? { 'aria-expanded': !isFolded } : {})}
      className={`tree-row${isSelected ? ' selected' : ''}${matches ? '' : ' beside'}${turn === 'you' ? ' yours' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => select(node.id)}
      onDoubleClick={() => open(node.id)}
    >
      <span className="tree-name">
        <span className="tree-guides" style={{ width: depth * INDENT }} />
        {node.children.length > 0 ? (
          <button
            type="button"
            className="tree-fold"
            tabIndex={-1}
            aria-label={isFolded ? `Unfold ${node.name}` : `Fold ${node.name}`}
            onClick={(event) => {
              event.stopPropagation()
              fold(node.id)
            }}
          >
            {isFolded ? '▸' : '▾'}
          </button>
        ) : (
          <span className="tree-fold" aria-hidden="true" />
        )}
        <a
          href={agentPath(node.id)}
          tabIndex={-1}
          className="ellipsis"
          title={printableLine(node.branch)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            open(node.id)
          }}
        >
          {printableLine(depth === 0 ? node.branch : node.short)}
        </a>
        {hidden > 0 && <span className="tone-dim"> +{hidden}</span>}
      </span>
      <span className="ellipsis">
        <CellText cell={agentState(node, palette, { frame: 0, turn })} />
      </span>
      <Since node={node} />
      <span className="ellipsis">
        {node.pr !== null && (
          <Link
            href={pullPath(node.pr.number)}
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
          >
            <CellText cell={pullCell(node, palette)} chip />
          </Link>
        )}
      </span>
      <span className="ellipsis">
        <CellText cell={checksCell(node, palette)} />
      </span>
      <span className="end">
        <CellText cell={tokensCell(node, palette)} />
      </span>
      <span className="end">
        <CellText cell={costCell(node, palette)} />
      </span>
      <span className="end">
        {mail > 0 && (
          <span className="chip tone-attention" title={plural(mail, 'message')}>
            {mail}
          </span>
        )}
      </span>
      <span className="ellipsis tone-dim">{printableLine(node.task)}</span>
    </div>
  )
})

/** Alone, so that a second that passes draws nothing else. */
function Since({ node }: { readonly node: LiveNode }) {
  const seconds = node.state_age_seconds + Math.max(0, useNow() - node.at) / 1000
  return (
    <span className="tone-dim" title={`by ${printableLine(node.state_source)}`}>
      {shortDuration(seconds)}
    </span>
  )
}
