import { useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { WireEvent } from '../../live/connection.ts'
import type { TreeNode } from '../../live/tree.ts'
import { useNow } from '../../parts/now.ts'
import { pullPath } from '../../shell/places.ts'
import {
  dayOf,
  minuteOf,
  spanWords,
  spentWords,
} from '../../../../src/surfaces/text/log/log-words.ts'
import { plural, shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { summarize, type LogSummary } from '../../../../src/surfaces/text/log/summary.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import type { Range } from './ranges.ts'

/** Of numbers and names that are listed. */
const SHOWN = 8

/** What came of that time, as `exomonad log` says it. */
export function Summary({
  events,
  nodes,
  range,
}: {
  readonly events: readonly WireEvent[] | null
  readonly nodes: readonly TreeNode[]
  readonly range: Range
}) {
  const { since, until } = range
  // To the minute: what has been waited goes on with the clock.
  const now = Math.ceil(useNow() / 60_000) * 60_000
  const end = until ?? now
  const found = useMemo(
    () => (events === null ? null : summarize(events, nodes, { since, now: end })),
    [events, nodes, since, end],
  )
  return (
    <section className="timeline-summary" aria-label="Summary">
      <h2>
        {dayOf(since)} {minuteOf(since)}{' '}
        {until === null ? 'until now' : `– ${dayOf(until)} ${minuteOf(until)}`}
        <span className="hint"> {spanWords((end - since) / 1000)}</span>
      </h2>
      <dl>
        <Fact name="Merged" tone="special" count={found?.merged.length ?? null}>
          {found?.merged.slice(0, SHOWN).map((number) => (
            <Link key={number} href={pullPath(number)}>
              #{number}
            </Link>
          ))}
          {more(found?.merged.length)}
        </Fact>
        <Fact name="Failed" tone="bad" count={found?.failed.length ?? null}>
          {found?.failed.slice(0, SHOWN).map((name, index) => (
            <bdi key={index}>{printableLine(name)}</bdi>
          ))}
          {more(found?.failed.length)}
        </Fact>
        <Fact
          name="Waited for you"
          tone="attention"
          count={found === null ? null : waitedFigure(found.waited_for_you)}
        >
          {found !== null && found.waited_for_you.count > 0 && (
            <>
              <span>in {plural(found.waited_for_you.count, 'wait')}</span>
              {found.waited_for_you.open > 0 && (
                <Link href="/inbox">{found.waited_for_you.open} still</Link>
              )}
            </>
          )}
        </Fact>
        <Fact name="Spent" tone="bold" count={found === null ? null : spentFigure(found.spent)}>
          {found !== null && (
            <span className="timeline-words" title={spentWords(found.spent)}>
              {spentWords(found.spent)}
            </span>
          )}
        </Fact>
      </dl>
    </section>
  )
}

const waitedFigure = ({ seconds, count }: LogSummary['waited_for_you']): number | string =>
  count === 0 ? 0 : spanWords(seconds)

const spentFigure = ({ tokens, cost_usd: cost }: LogSummary['spent']): number | string =>
  cost !== null ? shortMoney(cost) : tokens === 0 ? 0 : shortCount(tokens)

const more = (count = 0): ReactNode =>
  count > SHOWN ? <span className="hint">and {count - SHOWN} more</span> : null

function Fact({
  name,
  tone,
  count,
  children,
}: {
  readonly name: string
  readonly tone: string
  readonly count: number | string | null
  readonly children: ReactNode
}) {
  return (
    <div className="panel timeline-fact">
      <dt>{name}</dt>
      <dd>
        <strong className={count === null || count === 0 ? 'tone-dim' : `tone-${tone}`}>
          {count ?? <span className="skeleton">&nbsp;&nbsp;</span>}
        </strong>
        <span className="timeline-names">{children}</span>
      </dd>
    </div>
  )
}
