import { lazy, Suspense, useMemo } from 'react'
import { Link } from 'wouter'
import { useTool } from '../../live/queries.ts'
import { Loading } from '../../parts/states.tsx'
import { StepTable } from '../cost/cost-table.tsx'
import { seriesOf } from '../cost/series.ts'
import '../cost/cost.css'

/** It is larger than the rest of the view together. */
const Plot = lazy(() => import('../cost/plot.tsx'))
const NONE: readonly number[] = []

/** What an agent used in the last day, hour by hour; with those below it by agent, else by model. */
export function OverTime({
  agent,
  hasBelow,
}: {
  readonly agent: string
  readonly hasBelow: boolean
}) {
  const { data } = useTool(
    'usage',
    { by: hasBelow ? 'agent' : 'model', under: agent, hours: 24, step: 'hour' },
    { keep: true },
  )
  const measure = data?.total.cost_usd == null ? 'tokens' : 'money'
  const series = useMemo(
    () => (data === undefined ? null : seriesOf(data, measure)),
    [data, measure],
  )
  if (data === undefined || series === null)
    return <Loading what="what it used over time" rows={6} />
  const words = measure === 'money' ? 'US dollars an hour' : 'Tokens an hour'
  return (
    <section className="stack" aria-label={words}>
      {data.groups.length > 0 && (
        <>
          <h3>{words}</h3>
          <Suspense fallback={<div className="cost-plot" />}>
            <Plot series={series} measure={measure} isSummed={false} limits={NONE} before={0} />
          </Suspense>
          <StepTable series={series} measure={measure} seconds={data.step_seconds} />
        </>
      )}
      <Link href={`/cost?under=${encodeURIComponent(agent)}`}>More about it, over more time</Link>
    </section>
  )
}
