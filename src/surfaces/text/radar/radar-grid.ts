import type { RadarPair, RadarSide } from '../../../core/radar/radar-use-cases.ts'

/** Names that are compared with each other, directly or by way of others: those of one parent. */
export function radarGroups(pairs: readonly RadarPair[]): RadarPair[][] {
  const groups: { names: Set<string>; pairs: RadarPair[] }[] = []
  for (const pair of pairs) {
    const met = groups.filter(({ names }) => names.has(pair.a) || names.has(pair.b))
    const [first = { names: new Set<string>(), pairs: [] }, ...others] = met
    if (met.length === 0) groups.push(first)
    for (const other of others) {
      first.pairs.push(...other.pairs)
      for (const name of other.names) first.names.add(name)
      groups.splice(groups.indexOf(other), 1)
    }
    first.pairs.push(pair)
    first.names.add(pair.a).add(pair.b)
  }
  return groups.map((group) => group.pairs)
}

/** Who stands above whom: the rows and columns of a matrix, and what is where they meet. */
export function radarGrid(pairs: readonly RadarPair[]): {
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  readonly pairOf: (row: string, column: string) => RadarPair | undefined
} {
  const rows = [...new Set(pairs.map(({ a }) => a))]
  const seconds = new Set(pairs.map(({ b }) => b))
  // Siblings in the order of the rows, behind them the branches.
  const columns = [
    ...rows.filter((name) => seconds.has(name)),
    ...[...seconds].filter((name) => !rows.includes(name)),
  ]
  const byNames = new Map(pairs.map((pair) => [JSON.stringify([pair.a, pair.b]), pair]))
  return { rows, columns, pairOf: (row, column) => byNames.get(JSON.stringify([row, column])) }
}

/** What one of two did to a file. */
export const CHANGES: Readonly<Record<RadarSide['change'], string>> = {
  added: 'adds it',
  deleted: 'deletes it',
  renamed: 'renames it',
  modified: 'changes it',
  mode: 'changes its mode',
  none: 'conflicts by what it did elsewhere',
}
