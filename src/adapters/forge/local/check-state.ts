import type { CheckRow } from '../../../domain/forge-rows.ts'
import type { ChecksState } from '../check.ts'

/**
 * What a run that ended, or hasn’t, says about its head. A run that was cancelled or cut off says
 * nothing: it is run again.
 */
export function checksState(status: CheckRow['status'] | undefined): ChecksState {
  switch (status) {
    case 'passed':
      return 'passed'
    case 'failed':
    case 'timed_out':
      return 'failed'
    case 'queued':
    case 'running':
    case 'interrupted':
      return 'pending'
    case 'cancelled':
    case undefined:
      return 'none'
  }
}

/** Whether a head whose latest run is this one has to be run. */
export const needsRun = (latest: CheckRow | undefined): boolean =>
  latest === undefined || latest.status === 'cancelled' || latest.status === 'interrupted'

/** It ran to its end, and says something. */
export const isEnded = (status: CheckRow['status']): boolean =>
  status === 'passed' || status === 'failed' || status === 'timed_out'
