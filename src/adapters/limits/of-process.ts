import type { Bounds, LimitName } from '../../domain/formats/resource-limits.ts'

/**
 * What holds each process by itself. RLIMIT_AS is no use: every JavaScript runtime reserves far more
 * addresses than it has memory. RLIMIT_NPROC counts all processes of a user, the person’s own among
 * them, so that it would hold somebody else.
 */

/** With less no agent CLI starts (measured: four of them at 512 MiB). Bytes. */
export const LEAST_DATA = 1024 ** 3

/** How nice a program is that is to have this weight; undefined where it can’t be so much. */
export function nicenessOf(weight: number): number | undefined {
  // Each step of niceness is a quarter less of the processor (sched(7)).
  const steps = Math.round(Math.log(100 / weight) / Math.log(1.25))
  return steps < 0 ? undefined : Math.min(19, Math.abs(steps))
}

/** Options of hooks/limited.sh. */
export function processOptions(limits: readonly LimitName[], bounds: Bounds): string[] {
  const { memory, cpu_weight: weight } = bounds
  return limits.flatMap((limit) => {
    if (limit === 'memory' && memory !== undefined)
      return ['--data', String(Math.floor(memory.value / 1024))]
    if (limit === 'cpu_weight' && weight !== undefined)
      return ['--nice', String(nicenessOf(weight.value) ?? 0)]
    return []
  })
}

/** Why this way does not hold it at all; undefined where it does, in part. */
export function refusal(limit: LimitName, value: number): string | undefined {
  if (limit === 'memory' && value < LEAST_DATA)
    return 'held for each process by itself it has to be 1 GiB at least, or agent CLIs don’t start'
  if (limit === 'cpu_weight' && nicenessOf(value) === undefined)
    return 'more than 100 takes a control group'
  return undefined
}

/** What of it is kept. */
export const partly = (limit: LimitName, value: number): string =>
  limit === 'memory'
    ? 'it holds each process by itself, not all together'
    : `it is kept as niceness ${nicenessOf(value) ?? 0}, which each process has by itself`
