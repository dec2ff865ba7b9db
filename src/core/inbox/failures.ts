import type { Agent } from '../../domain/records.ts'

/** Its program is gone without being asked to. */
export const hasFailed = ({ state, reapedAt, cleanedAt }: Agent): boolean =>
  state === 'failed' && reapedAt === null && cleanedAt === null

/** It reported failure, and rests. */
export const gaveUp = ({ state, outcome, kind }: Agent): boolean =>
  kind !== 'root' && state === 'idle' && outcome?.success === false
