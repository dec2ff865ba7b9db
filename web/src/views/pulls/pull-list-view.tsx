import { useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { useTool } from '../../live/queries.ts'
import { useKeptState } from '../../parts/kept.ts'
import { isTyping } from '../../parts/keys.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { pullPath } from '../../shell/places.ts'
import { ChipView } from './chips.tsx'
import { countsOf, FILTERS, pullsLike, type Filter } from './filter.ts'
import { checksChip, conflictChip, reviewChip, stateChip, type PullSummary } from './words.ts'
import './pulls.css'

const HEIGHT = 62

/** All pull requests of the tree, by state. */
export default function PullListView() {
  const { data, error, refetch } = useTool('pr_list', { state: 'all' })
  const [filter, setFilter] = useKeptState<Filter>('pulls.filter', 'open')
  const [text, setText] = useKeptState('pulls.text', '')
  const [selected, setSelected] = useKeptState<number | null>('pulls.selected', null)
  const [, go] = useLocation()
  const scroller = useRef<HTMLDivElement>(null)
  const all = useMemo(() => data?.pull_requests ?? [], [data])
  const counts = useMemo(() => countsOf(all), [all])
  const shown = useMemo(() => pullsLike(all, filter, text), [all, filter, text])
  const at = Math.max(
    0,
    shown.findIndex(({ number }) => number === selected),
  )
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 8,
    getItemKey: (index) => shown[index]?.number ?? index,
  })
  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const to = {
        j: at + 1,
        ArrowDown: at + 1,
        k: at - 1,
        ArrowUp: at - 1,
        Home: 0,
        End: shown.length - 1,
      }[event.key]
      const pull = shown[Math.max(0, Math.min(shown.length - 1, to ?? at))]
      if (pull === undefined) return
      if (to !== undefined) {
        setSelected(pull.number)
        rows.scrollToIndex(shown.indexOf(pull))
      } else if (event.key === 'Enter' && !isOnControl(event)) go(pullPath(pull.number))
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <>
      <div className="view-head">
        <h1>Reviews</h1>
        <input
          type="search"
          data-search
          className="field search"
          placeholder="Search title, branch, agent, checks:failed  /"
          aria-label="Search pull requests"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <div className="filters" role="group" aria-label="State">
          {FILTERS.map(([name, words]) => (
            <button
              key={name}
              type="button"
              aria-pressed={filter === name}
              onClick={() => setFilter(name)}
            >
              {words} <span className="hint">{data === undefined ? '' : counts[name]}</span>
            </button>
          ))}
        </div>
      </div>
      <div className="view-body pulls">
        {error !== null && data === undefined ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : (
          <div className="panel pulls-list" ref={scroller}>
            {data === undefined && (
              <div className="padded">
                <Loading what="the pull requests" rows={12} />
              </div>
            )}
            {data !== undefined && shown.length === 0 && (
              <Empty title={all.length === 0 ? 'No pull requests yet' : 'None is like that'}>
                {all.length === 0 ? (
                  <p>An agent files one when its task is done.</p>
                ) : (
                  <button
                    type="button"
                    className="button"
                    onClick={() => {
                      setFilter('all')
                      setText('')
                    }}
                  >
                    Show all
                  </button>
                )}
              </Empty>
            )}
            <ul style={{ height: rows.getTotalSize(), position: 'relative' }}>
              {rows.getVirtualItems().map(({ index, key, start }) => {
                const pull = shown[index]
                return pull === undefined ? null : (
                  <PullRow key={key} pull={pull} top={start} isSelected={index === at} />
                )
              })}
            </ul>
          </div>
        )}
      </div>
    </>
  )
}

function PullRow({
  pull,
  top,
  isSelected,
}: {
  readonly pull: PullSummary
  readonly top: number
  readonly isSelected: boolean
}) {
  return (
    <li
      className={`pull-row${isSelected ? ' selected' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Link href={pullPath(pull.number)}>
        <span className="pull-number mono">#{pull.number}</span>
        <span className="pull-what">
          <bdi className="ellipsis title">{printableLine(pull.title)}</bdi>
          <span className="hint ellipsis">
            {pull.agent !== null && <bdi>{printableLine(pull.agent)} · </bdi>}
            <bdi className="mono">{printableLine(pull.head_branch)}</bdi> →{' '}
            <bdi className="mono">{printableLine(pull.base_branch)}</bdi>
          </span>
        </span>
        <span className="pull-chips">
          <ChipView chip={conflictChip(pull)} />
          <ChipView chip={reviewChip(pull)} />
          {pull.state === 'open' && <ChipView chip={checksChip(pull)} />}
          <ChipView chip={stateChip(pull)} />
        </span>
      </Link>
    </li>
  )
}

const isOnControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('a, button') !== null
