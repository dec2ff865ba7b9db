import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import type { WireEvent } from '../../live/connection.ts'
import type { TreeNode } from '../../live/tree.ts'
import { useNow } from '../../parts/now.ts'
import { dayOf, minuteOf } from '../../../../src/surfaces/text/log/log-words.ts'
import { namesOf } from '../../../../src/surfaces/text/log/names-of.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { beginOf, lanesOf, LEGEND, type Lane, type Mark } from './lanes.ts'
import { ticksOf, type Range } from './ranges.ts'

/** Of a lane. Pixels; the same in timeline.css. */
const HEIGHT = 26

interface Props {
  readonly events: readonly WireEvent[] | null
  readonly nodes: readonly TreeNode[]
  readonly range: Range
  /** There were more than are drawn. */
  readonly isCut: boolean
  /** Looks at an agent and those below it alone. */
  readonly under: (id: string) => void
}

/**
 * Who did what when, a lane for each agent. It shows nothing that the list of events does not say:
 * that is the one to read for whoever does not see it.
 */
export function Lanes({ events, nodes, range, isCut, under }: Props) {
  const now = Math.ceil(useNow() / 10_000) * 10_000
  const end = range.until ?? now
  const since = useMemo(() => beginOf(events ?? [], range, end), [events, range, end])
  const lanes = useMemo(
    () => (events === null ? null : lanesOf(events, nodes, { since, until: range.until }, now)),
    [events, nodes, since, range.until, now],
  )
  const nameOf = useMemo(() => namesOf(nodes), [nodes])
  const ticks = useMemo(() => ticksOf(since, end), [since, end])
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lanes?.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 8,
  })
  const at = (time: number): string => `${((time - since) / (end - since)) * 100}%`
  const isLong = end - since > 36 * 60 * 60 * 1000
  return (
    <section className="panel timeline-lanes" aria-label="Agents over time">
      <div className="timeline-axis" aria-hidden="true">
        <span />
        <div>
          {ticks.map((tick) => (
            <span key={tick} style={{ left: at(tick) }}>
              {isLong ? dayOf(tick) : minuteOf(tick)}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        className="timeline-scroll"
        style={{ height: Math.min(8, Math.max(3, lanes?.length ?? 4)) * HEIGHT + 4 }}
        tabIndex={0}
        role="region"
        aria-label="Lanes"
      >
        {lanes?.length === 0 && <p className="timeline-nothing">No agent did anything of note.</p>}
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          <div className="timeline-grid" aria-hidden="true">
            {ticks.map((tick) => (
              <i key={tick} style={{ left: at(tick) }} />
            ))}
          </div>
          {rows.getVirtualItems().map(({ index, start }) => {
            const lane = lanes?.[index]
            if (lane === undefined) return null
            const name = nameOf({ agentId: lane.agentId, type: '', payload: {} }) ?? ''
            return (
              <div
                key={lane.agentId}
                className="timeline-lane"
                style={{ transform: `translateY(${start}px)` }}
              >
                <button
                  type="button"
                  className="ellipsis"
                  title={`Only ${printableLine(name)} and those below it`}
                  onClick={() => under(lane.agentId)}
                >
                  <bdi>{printableLine(name)}</bdi>
                  <span className="sr-only">: {wordsOf(lane)}</span>
                </button>
                <div className="timeline-track" aria-hidden="true">
                  <i className="timeline-life" style={between(lane.from, lane.to, at)} />
                  {lane.waits.map(({ from, to }) => (
                    <i
                      key={from}
                      className="timeline-wait"
                      style={between(from, to ?? end, at)}
                      title="waited for a person"
                    />
                  ))}
                  {lane.marks.map((mark) => (
                    <Sign key={mark.seq} mark={mark} left={at(mark.at)} />
                  ))}
                </div>
              </div>
            )
          })}
        </div>
      </div>
      <p className="timeline-legend hint">
        {LEGEND.map(([word, tone, sign]) => (
          <span key={word}>
            <span className={`tone-${tone}`} aria-hidden="true">
              {sign}
            </span>{' '}
            {word}
          </span>
        ))}
        <span>
          <i className="timeline-wait" aria-hidden="true" /> waited for a person
        </span>
        {isCut && <strong>Only the newest of it is drawn: choose a shorter time.</strong>}
      </p>
    </section>
  )
}

function Sign({ mark, left }: { readonly mark: Mark; readonly left: string }) {
  const { at, word, tone, sign, count } = mark
  return (
    <span
      className={`timeline-sign tone-${tone}`}
      style={{ left }}
      title={`${minuteOf(at)} ${word}${count > 1 ? ` (${count} times)` : ''}`}
    >
      {sign}
      {count > 1 && <sub>{count}</sub>}
    </span>
  )
}

const between = (from: number, to: number, at: (time: number) => string) => ({
  left: at(from),
  right: `calc(100% - ${at(to)})`,
})

/** What a lane shows, for who hears it. */
function wordsOf({ marks, waits }: Lane): string {
  const counts = new Map<string, number>()
  for (const { word, count } of marks) counts.set(word, (counts.get(word) ?? 0) + count)
  const words = [...counts].map(([word, count]) => (count === 1 ? word : `${count} times ${word}`))
  if (waits.length > 0) words.push(`waited for a person ${plural(waits.length, 'time')}`)
  return words.join(', ')
}
