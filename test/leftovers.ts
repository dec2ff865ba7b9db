import {
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { isAlive } from './helpers/processes.ts'
import { unmountSmallDisk } from './helpers/small-disk.ts'

/**
 * What a run of the tests leaves behind: processes and file systems that belong to its folder. These
 * are found in /proc: elsewhere than on Linux only folders are removed.
 */

/** Which process a folder’s run is: in the folder itself. */
const OWNER = '.run'

/** Says that the run of this process has the folder. */
export const own = (folder: string): void =>
  writeFileSync(join(folder, OWNER), `${process.pid} ${startOf(process.pid)} ${pids()}`)

export const isOwnersFile = (name: string): boolean => name === OWNER

/** Ends what runs that were killed have left in `tmp`, and removes their folders `PREFIX…`. */
export function removeFormerRuns(tmp: string, prefix: string): void {
  for (const name of listFolder(tmp).filter((one) => one.startsWith(prefix))) {
    const [pid, start, space] = readProc(join(tmp, name, OWNER)).split(' ')
    // No owner’s file yet: it is being made. From another PID namespace: it may be running still.
    if (space !== pids()) continue
    if (isAlive(Number(pid)) && startOf(Number(pid)) === start) continue
    try {
      endRun(join(realpathSync(tmp), name), startedIn)
    } catch {
      // Another user's, or gone by now.
    }
  }
}

/** How long processes are looked for that others started in their last moment. Milliseconds. */
const END_WITHIN = 5_000
const LOOK_EVERY = 50

/** Ends all of a run at once and removes its folder, as far as that is possible. */
export function endRun(folder: string, belongs: Belongs = mentions): void {
  // One that is just becoming another program shows nothing of itself for an instant.
  const end = performance.now() + END_WITHIN
  for (let quiet = 0; quiet < 2 && performance.now() < end;) {
    const found = processesOf(folder, belongs)
    quiet = found.length === 0 ? quiet + 1 : 0
    for (const { pid, command } of found) {
      endProcess(pid)
      const socket = /^\S*tmux .*?-L (\S+)/.exec(command)?.[1]
      if (socket !== undefined) rmSync(join(tmuxSockets(), socket), { force: true })
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY)
  }
  for (const path of [...mountsIn(folder), folder]) {
    try {
      unmountSmallDisk(path)
    } catch {
      // The folder itself need not be in memory.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** tmux keeps its sockets in one folder per user, wherever TMPDIR is. */
export const tmuxSockets = (): string =>
  join(process.env['TMUX_TMPDIR'] ?? '/tmp', `tmux-${process.getuid?.() ?? 0}`)

/** File systems that a test mounted there. */
export const mountsIn = (folder: string): string[] =>
  readProc('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`))

interface Running {
  readonly pid: number
  readonly command: string
}

/**
 * Processes of this run that are there still after a grace period for those that are on their way
 * out.
 */
export async function lastingProcesses(folder: string): Promise<Running[]> {
  const deadline = Date.now() + 10_000
  // One that is just becoming another program shows nothing of itself for an instant.
  for (let quiet = 0; ;) {
    // Vitest's own workers are distinguished by their parent: they end with it.
    const found = processesOf(folder).filter(({ pid }) => parentOf(pid) !== process.pid)
    quiet = found.length === 0 ? quiet + 1 : 0
    if (quiet === 2 || Date.now() > deadline) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Whether a process is one of the run that has the folder. */
type Belongs = (pid: number, folder: string, command: string) => boolean

/** By its environment, command line or working directory. */
const mentions: Belongs = (pid, folder, command) =>
  command.includes(folder) ||
  readProc(`/proc/${pid}/environ`).includes(folder) ||
  workingDirectory(pid).startsWith(folder)

/**
 * By what its environment is set to, other than where it is: a person may look at what a run has
 * left.
 */
const startedIn: Belongs = (pid, folder) =>
  readProc(`/proc/${pid}/environ`)
    .split('\0')
    .some((variable) => {
      const [name = '', ...value] = variable.split('=')
      return !['PWD', 'OLDPWD', '_'].includes(name) && value.join('=').startsWith(folder)
    })

function processesOf(folder: string, belongs: Belongs = mentions): Running[] {
  const family = new Set([process.pid, process.ppid])
  const found: Running[] = []
  for (const name of listFolder('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || family.has(pid)) continue
    const command = readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    // Kernel threads and zombies have no command line.
    if (command === '') continue
    if (belongs(pid, folder, command)) found.push({ pid, command: command.slice(0, 200) })
  }
  return found
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0)
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** Within which ids of processes mean the same. */
function pids(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Clock ticks since the machine’s start; empty where that is not to be had. */
const startOf = (pid: number): string =>
  readProc(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''
