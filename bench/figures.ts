import process from 'node:process'

/**
 * One line of the table: a figure beside its floor, the least that the same machine needs for the
 * bare work, measured in the same run.
 */
export interface Figure {
  readonly name: string
  readonly unit:
    | 'ms'
    | '%'
    | 'MB'
    | 'bytes'
    | 'MB/s'
    | 'kB'
    | 'messages'
    | 'points'
    | 'calls'
    | 's'
    | 'runs'
    | 'turns'
    | 'processes'
  readonly value: number
  /** What the floor is. */
  readonly floorName: string
  readonly floor: number
  /** The target in words, and whether it is met; null where none is set. */
  readonly target: { readonly text: string; readonly met: boolean } | null
  readonly samples: number
  /** Why there is no figure. */
  readonly failure?: string
}

/** The value below which `share` (0–1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

/** Milliseconds that the work took, and what it answered. */
export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ ms: number; result: Result }> {
  const start = performance.now()
  const result = await work()
  return { ms: performance.now() - start, result }
}

/** Runs the work `times` times, one after the other: milliseconds of each. */
export async function sample(
  times: number,
  work: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = []
  for (let index = 0; index < times; index += 1) samples.push((await timed(() => work(index))).ms)
  return samples
}

export const atMost = (limit: number, unit: string, value: number): Figure['target'] => ({
  text: `≤ ${limit} ${unit}`,
  met: value <= limit,
})

export const atLeast = (limit: number, unit: string, value: number): Figure['target'] => ({
  text: `≥ ${limit} ${unit}`,
  met: value >= limit,
})

const round = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3)

/** Says on stderr what is measured already: the table comes at the end, which may be far away. */
export function announce(figures: readonly Figure[]): readonly Figure[] {
  for (const { name, value, unit, floor, floorName } of figures)
    process.stderr.write(
      `  ${name}: ${round(value)} ${unit} beside ${round(floor)} (${floorName})\n`,
    )
  return figures
}

/** The table that `npm run bench` prints, in Markdown. */
export function renderTable(figures: readonly Figure[]): string {
  const head = ['what', 'figure', 'floor', '×', 'target', '']
  const rows = figures.map((figure) =>
    figure.failure === undefined
      ? [
          figure.name,
          `${figure.unit === 'messages' ? figure.value : round(figure.value)} ${figure.unit}`,
          figure.unit === 'messages'
            ? figure.floorName
            : `${round(figure.floor)} ${figure.unit} (${figure.floorName})`,
          figure.unit === 'messages'
            ? ''
            : figure.floor === 0
              ? ''
              : (figure.value / figure.floor).toFixed(1),
          figure.target?.text ?? '',
          figure.target === null ? '' : figure.target.met ? 'met' : 'missed',
        ]
      : [
          figure.name,
          `failed: ${figure.failure.replace(/\s+/g, ' ').replaceAll('|', '¦').slice(0, 120)}`,
          '',
          '',
          '',
          '',
        ],
  )
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [
    line(head),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...rows.map(line),
  ].join('\n')
}
