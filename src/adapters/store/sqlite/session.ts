import { type Kysely, CompiledQuery } from 'kysely'
import type { Tables } from './tables.ts'

/** What the verbs run on: one open transaction, or none. */
export interface Session {
  readonly db: Kysely<Tables>
  /** Several statements as one: within the open transaction, or in one of their own. */
  atomic<Result>(work: (db: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /**
   * After the commit of the open transaction; at once where there is none, because the statement
   * before it is committed.
   */
  afterCommit(callback: () => void): void
}

/**
 * Hand-written SQL, without the cost of building it anew: the text is prepared once. Lists go in as
 * JSON, for `json_each(?)`.
 */
export async function rows<Row>(
  db: Kysely<Tables>,
  sql: string,
  ...parameters: readonly (string | number | null)[]
): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows
}

/** Hand-written SQL that answers no rows; resolves with how many it changed. */
export async function change(
  db: Kysely<Tables>,
  sql: string,
  ...parameters: readonly (string | number | null)[]
): Promise<number> {
  return Number(
    (await db.executeQuery(CompiledQuery.raw(sql, [...parameters]))).numAffectedRows ?? 0n,
  )
}
