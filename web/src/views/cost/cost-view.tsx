import { lazy, Suspense, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { ToolInput } from '../../api/call.ts'
import { useTool } from '../../live/queries.ts'
import { useTree } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { Budgets } from './budgets.tsx'
import { CostTable, StepTable } from './cost-table.tsx'
import { seriesOf, type Measure } from './series.ts'
import './cost.css'

/** It is larger than the rest of the view together. */
const Plot = lazy(() => import('./plot.tsx'))

const BY = [
  ['subtree', 'Subtrees'],
  ['agent', 'Agents'],
  ['model', 'Models'],
] as const
const RANGES = [
  ['day', '24 hours', { hours: 24, step: 'hour' }],
  ['week', '7 days', { hours: 7 * 24, step: 'hour' }],
  ['month', '30 days', { hours: 30 * 24, step: 'day' }],
  ['all', 'All', { step: 'day' }],
] as const satisfies readonly (readonly [string, string, Partial<ToolInput<'usage'>>])[]

/** Tokens and money: by whom, of which model, and when. */
export default function CostView() {
  const [query, setQuery] = useSearchParams()
  const { tree } = useTree()
  const by = BY.find(([id]) => id === query.get('by')) ?? BY[0]
  const range = RANGES.find(([id]) => id === query.get('range')) ?? RANGES[0]
  const under = query.get('under')
  const usage = useTool(
    'usage',
    { by: by[0], ...range[2], ...(under === null ? {} : { under }) },
    { keep: true },
  )
  const { data } = usage
  const measure: Measure =
    query.get('show') === 'tokens' || data?.total.cost_usd === null ? 'tokens' : 'money'
  const isSummed = query.get('sum') === 'true'
  const series = useMemo(
    () => (data === undefined ? null : seriesOf(data, measure)),
    [data, measure],
  )
  const nodes = useMemo(() => (tree === null ? [] : nodesOf(tree.root)), [tree])
  const change = (name: string, value: string | null) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const choice = (
    label: string,
    options: readonly (readonly [string, string])[],
    value: string,
    choose: (id: string) => void,
  ) => (
    <div className="cost-choice" role="group" aria-label={label}>
      {options.map(([id, name]) => (
        <button
          key={id}
          type="button"
          className="button"
          aria-pressed={id === value}
          onClick={() => choose(id)}
        >
          {name}
        </button>
      ))}
    </div>
  )
  const top = under === null ? undefined : nodes.find(({ id }) => id === under)
  return (
    <>
      <div className="view-head">
        <h1>Cost</h1>
        {choice(
          'Time',
          RANGES.map(([id, name]) => [id, name] as const),
          range[0],
          (id) => change('range', id),
        )}
        {choice('By', BY, by[0], (id) => change('by', id))}
        {data?.total.cost_usd != null &&
          choice(
            'Show',
            [
              ['money', 'Money'],
              ['tokens', 'Tokens'],
            ],
            measure,
            (id) => change('show', id),
          )}
        {under !== null && (
          <button type="button" className="button" onClick={() => change('under', null)}>
            Below <bdi>{printableLine(top?.short ?? under)}</bdi>
            <span aria-hidden="true">✕</span>
            <span className="sr-only">: show all</span>
          </button>
        )}
      </div>
      <div className="view-body cost">
        {usage.isError && data === undefined ? (
          <Failed error={usage.error} retry={() => void usage.refetch()} />
        ) : data === undefined || series === null ? (
          <Loading what="what was used" rows={12} />
        ) : (
          <>
            <dl className="cost-facts">
              <Fact
                name="Cost"
                value={data.total.cost_usd === null ? '–' : shortMoney(data.total.cost_usd)}
                words={
                  data.total.cost_usd === null && data.total.tokens > 0
                    ? 'no model of it has a price'
                    : undefined
                }
              />
              <Fact name="Tokens" value={shortCount(data.total.tokens)} />
              <Fact name="Input" value={shortCount(data.total.input)} />
              <Fact name="Output" value={shortCount(data.total.output)} />
              <Fact
                name="Cache"
                value={shortCount(data.total.cache_read)}
                words={`read, ${shortCount(data.total.cache_write)} written`}
              />
            </dl>
            <Unpriced models={data.total.unpriced_models} />
            {data.groups.length === 0 ? (
              <div className="panel">
                <Empty title="Nothing was used in that time">
                  <p>
                    Agents’ programs report what they use: of those that don’t, nothing is known.
                  </p>
                  {range[0] !== 'all' && (
                    <button type="button" className="button" onClick={() => change('range', 'all')}>
                      Show all time
                    </button>
                  )}
                </Empty>
              </div>
            ) : (
              <>
                <figure className="panel cost-figure">
                  <figcaption>
                    <h2>
                      {measure === 'money' ? 'US dollars' : 'Tokens'}{' '}
                      {isSummed ? 'summed up' : data.step_seconds === 3600 ? 'an hour' : 'a day'}
                    </h2>
                    {choice(
                      'Columns',
                      [
                        ['false', data.step_seconds === 3600 ? 'Each hour' : 'Each day'],
                        ['true', 'Summed up'],
                      ],
                      String(isSummed),
                      (id) => change('sum', id === 'true' ? id : null),
                    )}
                  </figcaption>
                  <Suspense fallback={<div className="cost-plot" />}>
                    <Plot
                      series={series}
                      measure={measure}
                      isSummed={isSummed}
                      limits={
                        range[0] === 'all' ? limitsOf(data, measure, under ?? tree?.root.id) : []
                      }
                      before={isSummed && measure === 'tokens' ? (data.undated_tokens ?? 0) : 0}
                    />
                  </Suspense>
                </figure>
                <CostTable
                  used={data}
                  below={by[0] === 'model' ? null : (id) => change('under', id)}
                />
                <StepTable series={series} measure={measure} seconds={data.step_seconds} />
              </>
            )}
            {(data.undated_tokens ?? 0) > 0 && (
              <p className="hint">
                {shortCount(data.undated_tokens ?? 0)} more tokens were used at times that are not
                known.
              </p>
            )}
            <Budgets budgets={data.budgets} />
          </>
        )}
      </div>
    </>
  )
}

/** Budgets of whoever is on top: what is summed up grows towards them. */
const limitsOf = (
  { budgets }: { readonly budgets: readonly { agent_id: string; kind: string; limit: number }[] },
  measure: Measure,
  top: string | undefined,
): number[] =>
  budgets
    .filter(({ agent_id: id, kind }) => id === top && kind === measure)
    .map(({ limit }) => limit)

function Fact({
  name,
  value,
  words,
}: {
  readonly name: string
  readonly value: string
  readonly words?: string | undefined
}) {
  return (
    <div className="panel cost-fact">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {words !== undefined && <span className="hint">{words}</span>}
      </dd>
    </div>
  )
}

/** What it costs is more than is said, as long as these have no price. */
function Unpriced({ models }: { readonly models: readonly string[] }) {
  if (models.length === 0) return null
  return (
    <p className="cost-unpriced" role="note">
      Without a price, and not in what it costs:{' '}
      {models.map((model) => (
        <code key={model}>{printableLine(model)}</code>
      ))}
      . Write <code>{`[prices."${printableLine(models[0] ?? '')}"]`}</code> in the configuration.
    </p>
  )
}
