import type { AliasableExpression, Expression, SqlBool } from 'kysely'

/**
 * All that the dialects say differently; the rest is the query builder's. A list is one parameter,
 * so that the text of a query does not depend on how many there are.
 */
export interface Differences {
  /** What is bound for a list. */
  bindList(values: readonly unknown[]): unknown
  /** The values of a list, for the right side of `in`. */
  listed<Value>(list: Expression<readonly Value[]>): Expression<Value>
  startsWith(text: Expression<string | null>, start: Expression<string>): Expression<SqlBool>
  endsWith(text: Expression<string | null>, end: Expression<string>): Expression<SqlBool>
  /** The highest number that an event ever had, also where it was pruned; 0 for none. */
  readonly lastEvent: AliasableExpression<number>
  /**
   * Wakes whoever listens on a channel, in whatever process, once the transaction is committed; null
   * where the store is one process's, which wakes its own.
   */
  readonly notify: ((channel: Expression<string>) => AliasableExpression<unknown>) | null
}
