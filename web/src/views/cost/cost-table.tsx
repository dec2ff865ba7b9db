import { useState } from 'react'
import { Link } from 'wouter'
import type { ToolResult } from '../../api/call.ts'
import { agentPath } from '../../shell/places.ts'
import { dayOf, minuteOf } from '../../../../src/surfaces/text/log/log-words.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { COLOURS, COLUMNS, sorted, type Column, type Measure, type Series } from './series.ts'

type Used = ToolResult<'usage'>
type Group = Used['groups'][number]

/** Rows that are shown at once. */
const SHOWN = 100

/** Who or what used how much. */
export function CostTable({
  used,
  below,
}: {
  readonly used: Used
  /** Looks at what one of them is made of; null where it is no agent. */
  readonly below: ((id: string) => void) | null
}) {
  const [column, setColumn] = useState<Column>(used.total.cost_usd === null ? 'tokens' : 'cost_usd')
  const [isTurned, setTurned] = useState(false)
  const [shown, setShown] = useState(SHOWN)
  const rows = sorted(used.groups, column, isTurned)
  const columns = COLUMNS.filter(([id]) => id !== 'cost_usd' || used.total.cost_usd !== null)
  return (
    <section className="panel cost-table" aria-label="Who used how much">
      <div className="cost-scroll" tabIndex={0} role="region" aria-label="Table of what was used">
        <table>
          <thead>
            <tr>
              {columns.map(([id, title]) => (
                <th
                  key={id}
                  scope="col"
                  aria-sort={
                    id !== column
                      ? 'none'
                      : isTurned === (id === 'name')
                        ? 'descending'
                        : 'ascending'
                  }
                >
                  <button
                    type="button"
                    onClick={() => {
                      setTurned(id === column && !isTurned)
                      setColumn(id)
                    }}
                  >
                    {id === 'name' ? TITLES[used.by] : title}
                    <span aria-hidden="true">{id !== column ? '' : isTurned ? ' ▴' : ' ▾'}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((group) => (
              <tr key={group.key}>
                <th scope="row">
                  {below === null ? (
                    <bdi>{printableLine(group.name)}</bdi>
                  ) : (
                    <>
                      <Link href={agentPath(group.key)}>
                        <bdi>{printableLine(group.name)}</bdi>
                      </Link>
                      {used.by === 'subtree' && (
                        <button
                          type="button"
                          className="cost-below"
                          title="What is below it"
                          aria-label={`Only below ${printableLine(group.name)}`}
                          onClick={() => below(group.key)}
                        >
                          ⤵
                        </button>
                      )}
                    </>
                  )}
                </th>
                <Amounts group={group} columns={columns} />
              </tr>
            ))}
          </tbody>
          {rows.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">All</th>
                <Amounts group={used.total} columns={columns} />
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {rows.length > shown && (
        <button type="button" className="button" onClick={() => setShown(shown + 10 * SHOWN)}>
          {rows.length - shown} more
        </button>
      )}
    </section>
  )
}

const TITLES = { subtree: 'Subtree', agent: 'Agent', model: 'Model' } as const

function Amounts({
  group,
  columns,
}: {
  readonly group: Omit<Group, 'key' | 'name'>
  readonly columns: readonly (readonly [Column, string])[]
}) {
  return columns.map(([id]) => {
    if (id === 'name') return null
    const value = group[id]
    const text =
      id !== 'cost_usd'
        ? (value ?? 0).toLocaleString('en')
        : value === null
          ? 'no price'
          : `$${value.toFixed(2)}${group.unpriced_models.length > 0 ? ' +' : ''}`
    return (
      <td key={id} className={id === 'cost_usd' && value === null ? 'tone-dim' : undefined}>
        {text}
      </td>
    )
  })
}

/** The plot in figures. */
export function StepTable({
  series,
  measure,
  seconds,
}: {
  readonly series: Series
  readonly measure: Measure
  readonly seconds: number
}) {
  const show = measure === 'tokens' ? shortCount : shortMoney
  const { starts, parts, totals } = series
  const used = [...starts.keys()].filter((at) => (totals[at] ?? 0) > 0).toReversed()
  return (
    <details className="panel cost-steps">
      <summary>{seconds === 3600 ? 'Hour by hour' : 'Day by day'}</summary>
      <div className="cost-scroll" tabIndex={0} role="region" aria-label="The plot in figures">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">All</th>
              {parts.map(({ key, name }, index) => (
                <th key={key} scope="col">
                  <i className={`cost-key cost-key-${index % (COLOURS + 1)}`} aria-hidden="true" />
                  <bdi>{printableLine(name)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {used.slice(0, 200).map((at) => (
              <tr key={at}>
                <th scope="row">
                  {dayOf(starts[at] ?? 0)}
                  {seconds === 3600 && ` ${minuteOf(starts[at] ?? 0)}`}
                </th>
                <td>{show(totals[at] ?? 0)}</td>
                {parts.map(({ key, values }) => (
                  <td key={key}>{values[at] === 0 ? '' : show(values[at] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
