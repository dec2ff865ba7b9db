import { listProcesses, type ProcessRecord } from './list-processes.ts'
import { sendSignal } from './signal.ts'

/**
 * The system's processes, as far as ending some of them goes: what tests put their own in place of.
 */
export interface ProcessTable {
  /** All there are, zombies included. */
  list(): Promise<readonly ProcessRecord[]>
  /**
   * False where there is none such, or it may not be signalled. Of a negative number: to the
   * process group. Signal 0 asks only.
   */
  signal(pid: number, name: NodeJS.Signals | 0): boolean
}

export const SYSTEM_PROCESSES: ProcessTable = {
  list: listProcesses,
  signal: sendSignal,
}

/** Which process it is: the number alone may be another's later. */
export const identityOf = ({ pid, started }: ProcessRecord): string => `${String(pid)} ${started}`
