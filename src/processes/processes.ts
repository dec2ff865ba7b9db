import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import {
  parseStat,
  shared,
  type ProcessRecord,
} from '../../packages/subagents/src/processes/list-processes.ts'
import { sendSignal } from '../../packages/subagents/src/processes/signal.ts'

async function readProcess(pid: number): Promise<ProcessRecord | undefined> {
  try {
    return parseStat(await readFile(`/proc/${String(pid)}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * So many files are read at the same time: there may be more processes than a process may open
 * files.
 */
const AT_ONCE = 32

/** What `read` returns for each process there is, or of these, a few at the same time. */
export async function ofEach<Found>(
  read: (pid: number) => Promise<Found | undefined>,
  only?: readonly number[],
): Promise<Found[]> {
  const pids =
    only?.slice() ?? (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found: Found[] = []
  const next = async () => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const one = await read(pid)
      if (one !== undefined) found.push(one)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return found
}

/**
 * Whether there is such a process; one that has ended and waits for its parent to notice counts as
 * gone where the system shows it.
 */
export async function isRunning(pid: number): Promise<boolean> {
  if (process.platform === 'linux') return (await readProcess(pid))?.zombie === false
  return sendSignal(pid, 0)
}

/**
 * Whether it has ended but its parent has not taken notice; false where the system does not show
 * it.
 */
export const isZombie = async (pid: number): Promise<boolean> =>
  process.platform === 'linux' && (await readProcess(pid))?.zombie === true

/**
 * Whether the process group of `pid` has its terminal; null where it is gone or the system does not
 * say cheaply.
 */
export async function isForeground(pid: number): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const record = await readProcess(pid)
  if (record === undefined || record.zombie || record.foreground === null) return null
  return record.foreground === record.group
}

/**
 * Processes that were started with one of these (`EXOMONAD_NAME=value`) in their environment, in
 * whichever session they are by now and whether their parents live or not. Nothing where the system
 * does not show it.
 */
export async function startedWith(markers: readonly string[]): Promise<number[]> {
  if (process.platform !== 'linux' || markers.length === 0) return []
  const wanted = new Set(markers)
  return (await readEnvironments()).flatMap(({ pid, entries }) =>
    pid !== process.pid && entries.some((entry) => wanted.has(entry)) ? [pid] : [],
  )
}

/**
 * Processes whose program and arguments are like that. Nothing where the system does not show it.
 */
export async function findByArguments(
  isLike: (argv: readonly string[]) => boolean,
): Promise<number[]> {
  if (process.platform !== 'linux') return []
  return await ofEach(async (pid) => {
    const argv = (await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => ''))
      .split('\0')
      .slice(0, -1)
    return isLike(argv) ? pid : undefined
  })
}

/** How often, and after how many milliseconds, one is read again that shows nothing. */
const READS = 5
const READ_AGAIN = 5

/**
 * What of ours stands in the environment of each process. While one becomes another program, as
 * `exec` does it, the system shows an empty one.
 */
export async function environmentsBy(
  readOne: (pid: number) => Promise<string>,
): Promise<{ pid: number; entries: string[] }[]> {
  let empty: number[] = []
  const read = async (pid: number) => {
    const environment = await readOne(pid).catch(() => null)
    if (environment === '' && isProgram(pid)) empty.push(pid)
    return {
      pid,
      entries: environment?.split('\0').filter((entry) => entry.startsWith('EXOMONAD_')) ?? [],
    }
  }
  const found = await ofEach(read)
  for (let reads = 1; reads < READS && empty.length > 0; reads += 1) {
    await delay(READ_AGAIN)
    const again = empty
    empty = []
    found.push(...(await ofEach(read, again)))
  }
  return found
}

const readEnvironments = shared(() =>
  environmentsBy((pid) => readFile(`/proc/${String(pid)}/environ`, 'utf8')),
)

const KERNEL = 2

/** Neither a thread of the kernel nor one that has ended: these never show anything. */
function isProgram(pid: number): boolean {
  try {
    const record = parseStat(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
    return record !== undefined && !record.zombie && record.parent !== KERNEL
  } catch {
    return false
  }
}

/** `roots`, their sessions and process groups, and everything that descends from any of these. */
export function withDescendants(
  all: readonly ProcessRecord[],
  roots: ReadonlySet<number>,
): ProcessRecord[] {
  const found = new Map<number, ProcessRecord>()
  const pending = all.filter(
    ({ pid, session, group }) => roots.has(pid) || roots.has(session) || roots.has(group),
  )
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next.pid)) continue
    found.set(next.pid, next)
    const { pid } = next
    pending.push(...all.filter((record) => record.parent === pid))
  }
  return [...found.values()]
}

/** A folder with one entry for each descriptor of whoever looks. */
export const OWN_DESCRIPTORS = '/proc/self/fd'

/** O_CLOEXEC in the flags that Linux shows of a descriptor, see proc(5). */
const CLOSE_ON_EXEC = 0o2000000

/**
 * This process’s own descriptors above the first three that stay open in programs it starts.
 * Nothing where the system does not show it.
 */
export function inheritableDescriptors(): number[] {
  const flagsOf = (fd: number): number =>
    Number.parseInt(
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${String(fd)}`, 'utf8'))?.[1] ??
        '',
      8,
    )
  try {
    const all = readdirSync(OWN_DESCRIPTORS).map(Number)
    return all.filter((fd) => {
      try {
        return fd > 2 && (flagsOf(fd) & CLOSE_ON_EXEC) === 0
      } catch {
        // It is closed already, as the one that listed them is.
        return false
      }
    })
  } catch {
    return []
  }
}
