import type { Runner } from './queries.ts'

/** What the verbs run on: one open transaction, or none. */
export interface Session extends Runner {
  /** Several queries as one: within the open transaction, or in one of their own. */
  atomic<Result>(work: (own: Runner) => Promise<Result>): Promise<Result>
  /**
   * After the commit of the open transaction; at once where there is none, because the statement
   * before it is committed.
   */
  afterCommit(callback: () => void): void
}
