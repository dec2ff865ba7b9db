import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { rssOf } from '../tree.ts'

/** What Linux counts the time of processes in. */
const TICKS_PER_SECOND = 100

/** Milliseconds of CPU that a process has used so far, to 10 ms. */
export function cpuOf(pid: number): number {
  const [user = 0, system = 0] = timesOf(pid)
  return user + system
}

/** The same of this process, with all that it started and that has ended. */
export const cpuWithChildren = (): number =>
  timesOf(process.pid).reduce((sum, time) => sum + time, 0)

/** The same with children that go on, and with what these have ended. */
export const cpuWithLivingChildren = (): number =>
  [process.pid, ...childrenOf(process.pid)]
    .flatMap((pid) => timesOf(pid))
    .reduce((sum, time) => sum + time, 0)

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number)

/** In user and kernel mode, and both of children that were waited for. */
function timesOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, may hold blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND)
}

export interface Rest {
  /** Milliseconds of CPU in a second. */
  readonly cpu: number
  /** Resident, in MB, at the end. */
  readonly memory: number
}

/** What a process costs that is left alone for so many seconds. */
export async function restOf(pid: number, seconds: number): Promise<Rest> {
  const before = cpuOf(pid)
  await delay(seconds * 1000)
  return { cpu: (cpuOf(pid) - before) / seconds, memory: rssOf(pid) }
}
