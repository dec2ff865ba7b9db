import type { ToolResult } from '../../../../src/tools/types.ts'

type Used = ToolResult<'usage'>
export type Measure = 'tokens' | 'money'

/** What the plot draws: a column for each step, split into parts. */
export interface Series {
  /** Beginnings of the steps, without a gap. Milliseconds since the epoch. */
  readonly starts: readonly number[]
  /** The greatest first; the last may be the sum of those that have no place. */
  readonly parts: readonly {
    readonly key: string
    readonly name: string
    readonly values: readonly number[]
  }[]
  readonly totals: readonly number[]
}

/** Parts that have a colour of their own. */
export const COLOURS = 5
/** Steps that are drawn; of more, the last. */
const MOST = 800

/** Steps in which nothing was used are there with nothing, so that time runs evenly. */
export function seriesOf(
  { groups, steps, step_seconds: seconds }: Pick<Used, 'groups' | 'steps' | 'step_seconds'>,
  measure: Measure,
): Series {
  const [first] = steps
  const last = steps.at(-1)
  if (first === undefined || last === undefined) return { starts: [], parts: [], totals: [] }
  const step = seconds * 1000
  const count = Math.min(MOST, Math.round((last.start - first.start) / step) + 1)
  const begin = last.start - (count - 1) * step
  const starts = Array.from({ length: count }, (_, index) => begin + index * step)
  const amount = (part: Used['steps'][number]['parts'][number]): number =>
    measure === 'tokens' ? part.tokens : (part.cost_usd ?? 0)
  const ranked = groups.toSorted((one, other) =>
    measure === 'tokens' ? other.tokens - one.tokens : (other.cost_usd ?? 0) - (one.cost_usd ?? 0),
  )
  const isAll = ranked.length <= COLOURS + 1
  const named = isAll ? ranked : ranked.slice(0, COLOURS)
  const rows = new Map(named.map(({ key }, index) => [key, index]))
  const values = Array.from({ length: named.length + (isAll ? 0 : 1) }, () =>
    Array.from({ length: count }, () => 0),
  )
  for (const { start, parts } of steps) {
    const at = Math.round((start - begin) / step)
    if (at < 0) continue
    for (const part of parts) {
      const row = values[rows.get(part.key) ?? named.length]
      if (row !== undefined) row[at] = (row[at] ?? 0) + amount(part)
    }
  }
  const parts = values.map((row, index) => {
    const group = named[index]
    return {
      key: group?.key ?? '',
      name: group?.name ?? `${ranked.length - named.length} others`,
      values: row,
    }
  })
  return {
    starts,
    parts,
    totals: starts.map((_, at) => parts.reduce((sum, part) => sum + (part.values[at] ?? 0), 0)),
  }
}

/** Each with those before it added: how high what is stacked reaches, and how much was used by then. */
export const summed = (values: readonly number[], from = 0): number[] => {
  let sum = from
  return values.map((value) => (sum += value))
}

export const COLUMNS = [
  ['name', ''],
  ['cost_usd', 'Cost'],
  ['tokens', 'Tokens'],
  ['input', 'Input'],
  ['output', 'Output'],
  ['cache_read', 'Cache read'],
  ['cache_write', 'Cache written'],
] as const
export type Column = (typeof COLUMNS)[number][0]

/** Names from a to z; of figures the greatest first, and what has none behind. */
export function sorted(groups: Used['groups'], column: Column, isTurned: boolean): Used['groups'] {
  const ordered = groups.toSorted((one, other) =>
    column === 'name'
      ? one.name.localeCompare(other.name)
      : (other[column] ?? -1) - (one[column] ?? -1),
  )
  return isTurned ? ordered.toReversed() : ordered
}
