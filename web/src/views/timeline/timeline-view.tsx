import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { lastHere } from '../../live/last-here.ts'
import { useTree } from '../../live/tree.ts'
import { SUMMARY_TYPES } from '../../../../src/surfaces/text/log/summary.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { daemonNow } from '../../parts/now.ts'
import { Failed } from '../../parts/states.tsx'
import { EventList } from './event-list.tsx'
import { fits, type EventWish } from './fits.ts'
import { Filters } from './filters.tsx'
import { typesOf } from './kinds.ts'
import { LANE_TYPES } from './lanes.ts'
import { Lanes } from './lanes-panel.tsx'
import { rangeOf } from './ranges.ts'
import { Summary } from './summary.tsx'
import { MOST, useEventList, useEventPages, useLiveEvents } from './use-events.ts'
import './timeline.css'

/** What was open when the time began may have begun so long before. Milliseconds. */
const BEFORE = 24 * 60 * 60 * 1000
const DRAWN = [...new Set([...LANE_TYPES, ...SUMMARY_TYPES])]

/** What happened between two times, at a glance and event by event. */
export default function TimelineView() {
  const [query, setQuery] = useSearchParams()
  const { tree, byId } = useTree()
  const text = query.toString()
  // The time of day moves on; what is looked at stays until something else is chosen.
  const { preset, range } = useMemo(
    () => rangeOf(new URLSearchParams(text), daemonNow(), lastHere()),
    [text],
  )
  const groups = useMemo(
    () => (query.get('what') ?? '').split(',').filter((id) => id !== ''),
    [query],
  )
  const everything = query.get('all') === 'true'
  const under = query.get('under')
  const wish: EventWish = useMemo(
    () => ({ ...range, types: typesOf(groups, everything), under }),
    [range, groups, everything, under],
  )
  const drawn: EventWish = useMemo(
    () => ({ since: range.since - BEFORE, until: range.until, types: DRAWN, under }),
    [range, under],
  )
  const live = useLiveEvents()
  const liveHere = useMemo(
    () => live.filter((event) => fits(event, wish, byId)),
    [live, wish, byId],
  )
  const liveDrawn = useMemo(
    () => live.filter((event) => fits(event, drawn, byId)),
    [live, drawn, byId],
  )
  const pages = useEventPages(wish, liveHere)
  const { events: marks } = useEventList(drawn, liveDrawn)
  const nodes = useMemo(() => {
    const all = tree === null ? [] : nodesOf(tree.root)
    const top = under === null ? undefined : all.find(({ id }) => id === under)
    return top === undefined ? all : nodesOf(top)
  }, [tree, under])
  const change = (changes: Readonly<Record<string, string | null>>) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes))
          if (value === null || value === '') next.delete(name)
          else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return (
    <>
      <Filters
        preset={preset}
        range={range}
        groups={groups}
        everything={everything}
        under={under}
        tree={tree}
        change={change}
      />
      <div className="view-body timeline">
        <Summary events={marks} nodes={nodes} range={range} />
        <Lanes
          events={marks}
          nodes={nodes}
          range={range}
          isCut={(marks?.length ?? 0) >= MOST}
          under={(id) => change({ under: id })}
        />
        {pages.isError && pages.events === null ? (
          <Failed error={pages.error} retry={() => void pages.refetch()} />
        ) : (
          <EventList
            events={pages.events}
            nodes={nodes}
            hasMore={pages.hasNextPage}
            isReading={pages.isFetchingNextPage}
            more={() => void pages.fetchNextPage()}
            isLive={range.until === null}
            since={range.since}
            isFiltered={groups.length > 0 || under !== null}
          />
        )}
      </div>
    </>
  )
}
