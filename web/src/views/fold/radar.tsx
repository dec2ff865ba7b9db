import { useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../api/errors.ts'
import { useTool } from '../../live/queries.ts'
import { useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import type { ToolResult } from '../../api/call.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { radarGrid, radarGroups } from '../../../../src/surfaces/text/radar/radar-grid.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { PairDetail } from './pair-detail.tsx'

type Pair = NonNullable<ToolResult<'radar'>['pairs']>[number]
type Chosen = Pick<Pair, 'a' | 'b'>

/** Who would conflict with whom, if what they have now were merged. */
export function RadarPanel() {
  const radar = useTool('radar', {}, { keep: true })
  const [chosen, choose] = useState<Chosen | null>(null)
  const now = useNow()
  const { data } = radar
  const pairs = data?.pairs
  return (
    <section className="panel radar" aria-label="Radar">
      <header>
        <h2>Radar</h2>
        <span className="hint">whose work would conflict if it were merged now</span>
        <span className="radar-read hint">
          {data !== undefined && `looked ${relativeTime(data.at, Math.max(now, data.at))}`}
        </span>
        <button
          type="button"
          className="button"
          disabled={radar.isFetching}
          onClick={() => void radar.refetch()}
        >
          Look again
        </button>
      </header>
      {pairs === undefined ? (
        radar.isError ? (
          radar.error.code === 'NOT_AVAILABLE' ? (
            <Empty title="There is no radar">
              <p>{wordsOf(radar.error)}</p>
            </Empty>
          ) : (
            <Failed error={radar.error} retry={() => void radar.refetch()} />
          )
        ) : (
          <div className="fold-waiting">
            <Loading what="the radar" rows={5} />
          </div>
        )
      ) : pairs.length === 0 ? (
        <Empty title="No agent has work of its own to compare">
          <p>Two agents at work are needed, or one whose base has moved on.</p>
        </Empty>
      ) : (
        <>
          {radarGroups(pairs).map((group) => (
            <Matrix
              key={`${group[0]?.a} ${group[0]?.b}`}
              pairs={group}
              chosen={chosen}
              choose={choose}
            />
          ))}
          <Conflicts pairs={pairs} choose={choose} />
        </>
      )}
      {chosen !== null && (
        <Detail key={`${chosen.a} ${chosen.b}`} pair={chosen} close={() => choose(null)} />
      )}
    </section>
  )
}

const SIGNS: Readonly<Record<Pair['status'], readonly [string, string, string]>> = {
  clean: ['✓', 'good', 'they merge'],
  unknown: ['?', 'dim', 'not known now'],
  conflict: ['⚠', 'attention', 'they conflict'],
}

function Matrix({
  pairs,
  chosen,
  choose,
}: {
  readonly pairs: readonly Pair[]
  readonly chosen: Chosen | null
  readonly choose: (pair: Chosen) => void
}) {
  const { rows, columns, pairOf } = radarGrid(pairs)
  return (
    <div className="radar-scroll" tabIndex={0} role="region" aria-label="Who with whom">
      <table>
        <thead>
          <tr>
            <td />
            {columns.map((name) => (
              <th key={name} scope="col">
                <bdi>{printableLine(name)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((a) => (
            <tr key={a}>
              <th scope="row">
                <bdi>{printableLine(a)}</bdi>
              </th>
              {columns.map((b) => {
                const pair = pairOf(a, b)
                if (pair === undefined)
                  return <td key={b} className={a === b ? 'radar-self' : undefined} />
                const [sign, tone, words] = SIGNS[pair.status]
                const isChosen = chosen?.a === a && chosen.b === b
                return (
                  <td key={b} className={`radar-${pair.status}`}>
                    <button
                      type="button"
                      className={`tone-${tone}`}
                      aria-pressed={isChosen}
                      onClick={() => choose({ a, b })}
                    >
                      <span className="sr-only">
                        {printableLine(a)} and {printableLine(b)}: {words}
                      </span>
                      <span aria-hidden="true">{sign}</span>
                      {pair.status === 'conflict' && ` ${plural(pair.files.length, 'file')}`}
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Conflicts({
  pairs,
  choose,
}: {
  readonly pairs: readonly Pair[]
  readonly choose: (pair: Chosen) => void
}) {
  const conflicts = pairs.filter(({ status }) => status === 'conflict')
  if (conflicts.length === 0)
    return <p className="radar-clear hint">No two of them conflict as they are now.</p>
  return (
    <ul className="radar-conflicts">
      {conflicts.map(({ a, b, files }) => (
        <li key={`${a} ${b}`}>
          <button type="button" onClick={() => choose({ a, b })}>
            <span className="tone-attention" aria-hidden="true">
              ⚠{' '}
            </span>
            <bdi>{printableLine(a)}</bdi> × <bdi>{printableLine(b)}</bdi>
          </button>
          <span className="mono">{files.map(printableLine).join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}

/** What both did, below the matrix; it takes the focus and gives it back. */
function Detail({ pair, close }: { readonly pair: Chosen; readonly close: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const detail = useTool('radar', pair)
  useEffect(() => {
    const before = document.activeElement
    heading.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <section
      className="radar-detail"
      aria-label="Both sides"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <header>
        <h3 ref={heading} tabIndex={-1}>
          <bdi>{printableLine(pair.a)}</bdi> × <bdi>{printableLine(pair.b)}</bdi>
        </h3>
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </header>
      {detail.data?.pair !== undefined ? (
        <PairDetail pair={detail.data.pair} />
      ) : detail.isError ? (
        <Failed error={detail.error} retry={() => void detail.refetch()} />
      ) : (
        <Loading what="both sides" rows={6} />
      )}
    </section>
  )
}
