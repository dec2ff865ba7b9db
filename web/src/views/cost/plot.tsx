import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { dayOf, minuteOf } from '../../../../src/surfaces/text/log/log-words.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { COLOURS, summed, type Measure, type Series } from './series.ts'

interface Props {
  readonly series: Series
  readonly measure: Measure
  /** What was used until then, in place of what was used then. */
  readonly isSummed: boolean
  /** Drawn across, where it is summed up. */
  readonly limits: readonly number[]
  /** Used before all of it. */
  readonly before: number
}

const HEIGHT = 240

/** The colours of the parts, by the tokens of the colour scheme. */
const TOKENS = ['--accent', '--active', '--special', '--good', '--attention', '--muted']

/** Columns over time; all that it says is in the tables below it as well. */
export default function Plot({ series, measure, isSummed, limits, before }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const scheme = useScheme()
  const show = measure === 'tokens' ? shortCount : shortMoney
  useEffect(() => {
    const element = place.current
    if (element === null || series.starts.length === 0) return
    const style = getComputedStyle(element)
    const token = (name: string): string => style.getPropertyValue(name).trim()
    const plot = new UPlot(
      optionsOf({
        series,
        isSummed,
        limits,
        show,
        token,
        width: element.clientWidth,
        hover: setAt,
      }),
      dataOf(series, isSummed, before),
      element,
    )
    const sizes = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [series, isSummed, limits, before, show, scheme])
  const values = series.parts.map(({ values }) => (at === null ? null : (values[at] ?? 0)))
  return (
    <>
      <div ref={place} className="cost-plot" aria-hidden="true" />
      <ul className="cost-legend" aria-hidden="true">
        <li className="hint">
          {at === null
            ? 'all of it'
            : `${dayOf(series.starts[at] ?? 0)} ${minuteOf(series.starts[at] ?? 0)}`}
        </li>
        {series.parts.map(({ key, name, values: all }, index) => (
          <li key={key}>
            <i className={`cost-key cost-key-${index % (COLOURS + 1)}`} />
            <bdi>{printableLine(name)}</bdi>{' '}
            <strong>{show(values[index] ?? all.reduce((sum, value) => sum + value, 0))}</strong>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Stacked: each part with those below it, the highest first, so that the lower cover it. */
function dataOf(
  { starts, parts, totals }: Series,
  isSummed: boolean,
  before: number,
): UPlot.AlignedData {
  const seconds = starts.map((start) => start / 1000)
  if (isSummed) return [seconds, summed(totals, before)]
  const stacked: number[][] = []
  let below = totals.map(() => 0)
  for (const { values } of parts) {
    below = below.map((height, at) => height + (values[at] ?? 0))
    stacked.unshift(below)
  }
  return [seconds, ...stacked]
}

function optionsOf({
  series,
  isSummed,
  limits,
  show,
  token,
  width,
  hover,
}: {
  readonly series: Series
  readonly isSummed: boolean
  readonly limits: readonly number[]
  readonly show: (value: number) => string
  readonly token: (name: string) => string
  readonly width: number
  readonly hover: (at: number | null) => void
}): UPlot.Options {
  const muted = token('--muted')
  const grid = { stroke: token('--line'), width: 1 }
  const font = `12px ${token('--font')}`
  const colour = (index: number): string => token(TOKENS[index] ?? '--muted')
  const bars = UPlot.paths.bars?.({ size: [0.82, 46], radius: 0.12 })
  const top = Math.max(0, ...limits)
  const [first = 0] = series.starts
  const last = series.starts.at(-1) ?? 0
  const step = ((series.starts[1] ?? first + 3_600_000) - first) / 1000
  return {
    width,
    height: HEIGHT,
    padding: [14, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { range: () => [first / 1000 - step * 0.6, last / 1000 + step * 0.6] },
      y: {
        range: (_, __, max) => [0, Math.max(max, isSummed ? top : 0) * 1.06 || 1],
      },
    },
    axes: [
      { stroke: muted, grid: { show: false }, ticks: { show: false }, font },
      {
        stroke: muted,
        grid,
        ticks: { show: false },
        font,
        size: 56,
        values: (_, splits) => splits.map(show),
      },
    ],
    series: [
      {},
      ...(isSummed
        ? [{ stroke: colour(0), fill: token('--selected'), width: 2, points: { show: false } }]
        : series.parts.map((_, index) => {
            const own = colour(series.parts.length - 1 - index)
            return {
              fill: own,
              stroke: own,
              width: 0,
              points: { show: false },
              ...(bars === undefined ? {} : { paths: bars }),
            }
          })),
    ],
    hooks: {
      setCursor: [({ cursor: { idx } }) => hover(idx ?? null)],
      draw: isSummed ? [(plot) => drawLimits(plot, limits, token('--bad'), show)] : [],
    },
  }
}

function drawLimits(
  plot: UPlot,
  limits: readonly number[],
  colour: string,
  show: (value: number) => string,
): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.setLineDash([6, 4])
  ctx.textAlign = 'right'
  for (const limit of limits) {
    const y = Math.round(plot.valToPos(limit, 'y', true))
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillText(`budget ${show(limit)}`, bbox.left + bbox.width - 4, y - 5)
  }
  ctx.restore()
}

/** Changes with the colours, whoever changes them. */
function useScheme(): string {
  const [scheme, setScheme] = useState('')
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const look = () =>
      setScheme(`${dark.matches} ${document.documentElement.dataset['theme'] ?? ''}`)
    look()
    dark.addEventListener('change', look)
    const watcher = new MutationObserver(look)
    watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', look)
      watcher.disconnect()
    }
  }, [])
  return scheme
}
