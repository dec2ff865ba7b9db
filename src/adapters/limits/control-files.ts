import type { Bounds, LimitName } from '../../domain/formats/resource-limits.ts'

/** What is written into a group’s files, and read from them, in both versions of control groups. */

export type GroupVersion = 1 | 2

export const CONTROLLER: Readonly<Record<LimitName, string>> = {
  memory: 'memory',
  processes: 'pids',
  cpu_weight: 'cpu',
}

export interface Setting {
  readonly file: string
  readonly text: string
  /** Where there is no such file there is nothing to write: no swap, or an older kernel. */
  readonly optional?: true
}

/** Of one limit; `value` undefined: as if there were none. */
function settingsOf(limit: LimitName, version: GroupVersion, value: number | undefined): Setting[] {
  const text = value === undefined ? undefined : String(value)
  switch (limit) {
    case 'memory':
      // Without swap: an agent that pages takes the machine as well. Of a group that is full one
      // process is ended, mostly the build, and not the agent with it.
      return version === 2
        ? [
            { file: 'memory.swap.max', text: text === undefined ? 'max' : '0', optional: true },
            { file: 'memory.oom.group', text: '0', optional: true },
            { file: 'memory.max', text: text ?? 'max' },
          ]
        : // Memory may never have more than memory and swap together: the second goes up first, and
          // down last.
          [
            { file: 'memory.memsw.limit_in_bytes', text: text ?? '-1', optional: true },
            { file: 'memory.limit_in_bytes', text: text ?? '-1' },
            { file: 'memory.memsw.limit_in_bytes', text: text ?? '-1', optional: true },
          ]
    case 'processes':
      return [{ file: 'pids.max', text: text ?? 'max' }]
    case 'cpu_weight':
      return version === 2
        ? [{ file: 'cpu.weight', text: text ?? '100' }]
        : [{ file: 'cpu.shares', text: String(Math.max(2, Math.round((value ?? 100) * 10.24))) }]
  }
}

export const settings = (
  holds: readonly LimitName[],
  version: GroupVersion,
  bounds: Bounds,
): Setting[] => holds.flatMap((limit) => settingsOf(limit, version, bounds[limit]?.value))

/** Limits whose refusals are counted. */
export type Counted = 'memory' | 'processes'

/** Which file shows how often a limit was met; absent: it refuses nothing. */
export const COUNT_FILE: Readonly<Record<GroupVersion, Readonly<Record<Counted, string>>>> = {
  1: { memory: 'memory.oom_control', processes: 'pids.events' },
  2: { memory: 'memory.events', processes: 'pids.events' },
}

/**
 * Processes that were ended for want of memory, or that were refused, from the text of that file.
 * Version 2 counts what the machine as a whole had no memory for too: only where the group was full
 * itself it was its limit.
 */
export function parseCount(counted: Counted, version: GroupVersion, text: string): number {
  const at = (name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  if (counted === 'processes') return at('max')
  return version === 2 && at('oom') === 0 ? 0 : at('oom_kill')
}
