import type { AgentId } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import type { TakeReceipt } from './receipt.ts'

/** How an agent stands to one that waits for it. */
export type WaitStatus = 'received' | 'running' | 'idle' | 'dead'

export interface FanInResult {
  agent_id: AgentId
  name: string
  status: WaitStatus
  /** Its oldest message, taken out of the mailbox; where the status is `received`. */
  message?: string
}
export type WaitResult =
  | { from: AgentId; name: string; message: string }
  | { status: 'timeout' }
  | { results: FanInResult[] }

export interface Waiting {
  /**
   * Without `from` the oldest message of anyone; with it, one of each, in the order asked.
   * `timeout` in seconds; 0 looks once. What is taken is given back where `signal` is aborted or
   * the receipt says so. INVALID_ARG (nobody, oneself), AGENT_NOT_FOUND, AMBIGUOUS_ID, ALREADY_DEAD
   * where the one who waits ends meanwhile.
   */
  wait(
    caller: Caller,
    input: { timeout: number; from?: readonly string[] | undefined },
    call: { signal: AbortSignal; progress?: (message: string) => void; receipt?: TakeReceipt },
  ): Promise<WaitResult>
  /** What a wait of the caller for these would see now; nothing is taken. */
  standing(
    caller: Caller,
    from: readonly string[],
  ): Promise<{
    results: {
      agent_id: AgentId
      name: string
      status: WaitStatus
      tool_calls: number
      tokens: number
    }[]
  }>
}
