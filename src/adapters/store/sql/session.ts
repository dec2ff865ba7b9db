import type { AgentId } from '../../../domain/ids.ts'
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
  /** Wakes the channel of an agent with the commit, or at once where there is no transaction. */
  wake(agentId: AgentId): Promise<void>
}
