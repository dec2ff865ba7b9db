import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { WireEvent } from '../../live/connection.ts'
import type { TreeNode } from '../../live/tree.ts'
import { isTyping } from '../../parts/keys.ts'
import { Empty, Loading } from '../../parts/states.tsx'
import { agentPath } from '../../shell/places.ts'
import { describeEvent } from '../../../../src/surfaces/text/event-words.ts'
import { dayOf } from '../../../../src/surfaces/text/log/log-words.ts'
import { namesOf } from '../../../../src/surfaces/text/log/names-of.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { timeOfDay } from '../../../../src/surfaces/text/relative-time.ts'
import { linksOf } from './links.ts'

/** Of an event of one line. Pixels. */
const HEIGHT = 32
/** Events from the end at which the next are read. */
const AHEAD = 40

interface Props {
  /** The newest first; null while they are read. */
  readonly events: readonly WireEvent[] | null
  readonly nodes: readonly TreeNode[]
  readonly hasMore: boolean
  readonly isReading: boolean
  readonly more: () => void
  readonly isLive: boolean
  readonly since: number
  readonly isFiltered: boolean
}

type Row = { readonly event: WireEvent } | { readonly day: string }

/** Event by event, the newest first, in the words of `exomonad log`. */
export function EventList(props: Props) {
  const { events, nodes, hasMore, isReading, more, isLive, since, isFiltered } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [isAtTop, setAtTop] = useState(true)
  /** The newest that was seen: what comes while one reads further down waits above. */
  const [seen, setSeen] = useState<number | null>(null)
  const newest = events?.[0]?.seq ?? 0
  useEffect(() => {
    if (isAtTop) setSeen(newest)
  }, [isAtTop, newest])
  const waiting =
    events === null || isAtTop || seen === null ? 0 : events.findIndex(({ seq }) => seq <= seen)
  const rows = useMemo(() => rowsOf((events ?? []).slice(Math.max(0, waiting))), [events, waiting])
  const nameOf = useMemo(() => namesOf(nodes), [nodes])
  const [selected, setSelected] = useState<number | null>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
    getItemKey: (index) => keyOf(rows[index], index),
  })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isReading && last >= rows.length - AHEAD) more()
  }, [hasMore, isReading, last, rows.length, more])
  useKeys(rows, selected, setSelected, (index) => list.scrollToIndex(index))

  return (
    <section className="panel timeline-events" aria-label="Events">
      <div className="timeline-note" role="status">
        {waiting > 0 && (
          <button
            type="button"
            className="button primary"
            onClick={() => scroller.current?.scrollTo({ top: 0 })}
          >
            ↑ {plural(waiting, 'new event')}
          </button>
        )}
      </div>
      <div
        ref={scroller}
        className="timeline-scroll"
        tabIndex={0}
        role="region"
        aria-label="Events, the newest first"
        aria-busy={events === null}
        onScroll={({ currentTarget }) => setAtTop(currentTarget.scrollTop < 8)}
      >
        {events === null && <Loading what="what happened" rows={10} />}
        {events?.length === 0 && (
          <Empty title={isFiltered ? 'Nothing of that kind happened' : 'Nothing happened'}>
            <p>
              since {dayOf(since)} {timeOfDay(since)}
              {isLive ? '; what happens from now on appears here.' : '.'}
            </p>
          </Empty>
        )}
        <ol style={{ height: list.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="timeline-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                {'day' in row ? (
                  <h3 className="timeline-day">{row.day}</h3>
                ) : (
                  <EventRow
                    event={row.event}
                    name={nameOf(row.event)}
                    isSelected={row.event.seq === selected}
                    isKnown={nodes.some(({ id }) => id === row.event.agentId)}
                  />
                )}
              </li>
            )
          })}
        </ol>
        {isReading && <p className="timeline-nothing">Reading what was before …</p>}
      </div>
    </section>
  )
}

const keyOf = (row: Row | undefined, index: number): string | number =>
  row === undefined ? index : 'day' in row ? row.day : row.event.seq

function rowsOf(events: readonly WireEvent[]): Row[] {
  let day = ''
  return events.flatMap((event): Row[] => {
    const on = dayOf(event.at)
    if (on === day) return [{ event }]
    day = on
    return [{ day: on }, { event }]
  })
}

const EventRow = memo(function EventRow({
  event,
  name,
  isSelected,
  isKnown,
}: {
  readonly event: WireEvent
  readonly name: string | null
  readonly isSelected: boolean
  readonly isKnown: boolean
}) {
  const { sign, colour, text } = describeEvent(event)
  const { agentId, at, type } = event
  return (
    <div className={`timeline-event${isSelected ? ' selected' : ''}`} title={type}>
      <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
      <span className="timeline-who ellipsis">
        {agentId !== null && isKnown ? (
          <Link href={agentPath(agentId)}>
            <bdi>{printableLine(name ?? '')}</bdi>
          </Link>
        ) : (
          <bdi>{printableLine(name ?? 'daemon')}</bdi>
        )}
      </span>
      <span className={`timeline-mark tone-${colour}`} aria-hidden="true">
        {sign}
      </span>
      <span className="timeline-text">
        <bdi>{text}</bdi>
      </span>
      <span className="timeline-links">
        {linksOf(event).map(({ href, words }) => (
          <Link key={href} href={href}>
            {words}
          </Link>
        ))}
      </span>
    </div>
  )
})

/** j and k go from event to event, Enter to what it is about. */
function useKeys(
  rows: readonly Row[],
  selected: number | null,
  select: (seq: number) => void,
  show: (index: number) => void,
): void {
  const [, go] = useLocation()
  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const at = rows.findIndex((row) => 'event' in row && row.event.seq === selected)
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step !== 0) {
        for (
          let to = at === -1 ? (step > 0 ? 0 : -1) : at + step;
          rows[to] !== undefined;
          to += step
        ) {
          const row = rows[to]
          if (row === undefined || 'day' in row) continue
          select(row.event.seq)
          show(to)
          break
        }
      } else if (event.key === 'Enter' && !isOnControl(event)) {
        const row = rows[at]
        if (row === undefined || 'day' in row) return
        const [link] = linksOf(row.event)
        const { agentId } = row.event
        if (link !== undefined) go(link.href)
        else if (agentId !== null) go(agentPath(agentId))
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

const isOnControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('a, button') !== null
