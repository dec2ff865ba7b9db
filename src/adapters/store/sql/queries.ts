import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type Kysely,
  type QueryResult,
  sql,
} from 'kysely'
import type { Differences } from './differences.ts'
import type { Tables } from './tables.ts'

/**
 * A query is built once for each set of parameters that it is given, and executed with their values
 * from then on: to build it each time would cost more than SQLite's own work. What is left out or
 * undefined is not there while it is built either; so an optional condition is an `if`, and a
 * patch's columns are those that it has.
 */
export type Query<Parameters extends object, Row> = (
  tools: Tools,
  given: Given<Parameters>,
) => Compilable<Row>

export interface Tools extends Differences {
  readonly db: Kysely<Tables>
}

/** Placeholders for the parameters' values. A list is one parameter, for `listed`. */
export type Given<Parameters extends object> = {
  readonly [Name in keyof Parameters]: undefined extends Parameters[Name]
    ? Expression<Exclude<Parameters[Name], undefined>> | undefined
    : Expression<Parameters[Name]>
}

/** Whether a patch would change nothing. */
export const isEmpty = (patch: object): boolean =>
  Object.values(patch).every((value) => value === undefined)

/** Runs queries on one connection: that of an open transaction, or any. */
export interface Runner {
  rows<Parameters extends object, Row>(
    query: Query<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): Promise<Row[]>
  /** Resolves with how many rows it changed. */
  change<Parameters extends object>(
    query: Query<Parameters, unknown>,
    values: NoInfer<Parameters>,
  ): Promise<number>
}

/** Makes runners that share what was built. */
export function createRunners(
  db: Kysely<Tables>,
  differences: Differences,
): (on: Kysely<Tables>) => Runner {
  const tools: Tools = { ...differences, db }
  const built = new Map<unknown, Map<string, Built>>()

  function build<Row>(query: Query<Values, Row>, values: Values): Built {
    const names = Object.keys(values).filter((name) => values[name] !== undefined)
    const given = names.map((name) => [name, sql.val<Placeholder>({ parameter: name })])
    return query(tools, Object.fromEntries(given) as Given<Values>).compile()
  }

  function prepare<Row>(query: Query<Values, Row>, values: Values): CompiledQuery<Row> {
    let shape = ''
    for (const name of Object.keys(values)) if (values[name] !== undefined) shape += `${name},`
    let shapes = built.get(query)
    if (shapes === undefined) built.set(query, (shapes = new Map<string, Built>()))
    let known = shapes.get(shape)
    if (known === undefined) shapes.set(shape, (known = build(query, values)))
    const parameters = known.parameters.map((value) => valueOf(value, values, differences))
    return { ...(known as CompiledQuery<Row>), parameters }
  }

  return (on) => {
    const execute = <Parameters extends object, Row>(
      query: Query<Parameters, Row>,
      values: Parameters,
    ): Promise<QueryResult<Row>> =>
      on.executeQuery(prepare(query as Query<Values, Row>, values as Values))
    return {
      rows: async (query, values) => (await execute(query, values)).rows,
      change: async (query, values) => Number((await execute(query, values)).numAffectedRows ?? 0n),
    }
  }
}

type Values = Readonly<Record<string, unknown>>
type Built = CompiledQuery<unknown>

/** In the place of a parameter's value; what else is bound are a query's own constants. */
interface Placeholder {
  readonly parameter: string
}

function valueOf(bound: unknown, values: Values, { bindList }: Differences): unknown {
  if (typeof bound !== 'object' || bound === null) return bound
  const value = values[(bound as Placeholder).parameter]
  return Array.isArray(value) ? bindList(value) : value
}
