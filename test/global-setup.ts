import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { mountSmallDisk, unmountSmallDisk } from './helpers/small-disk.ts'

/**
 * Runs once around every test run, whichever projects it holds. Refuses a Node that exomonad does
 * not support, gives the run one temporary folder of its own (TMPDIR of all tests, short because
 * Unix sockets live in it), and fails the run where anything is left at its end: a process that was
 * started with that TMPDIR, or a file in it. Where TMPDIR is not set and the run may mount, that
 * folder is in memory: on a disk the same tests take a tenth more of the processors.
 */
export default function setup(): () => Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 14)) {
    throw new Error(
      `The tests run on Node 22.14 or newer; this is ${process.versions.node}. \`npm test\` uses the one in node_modules: run \`npm ci\` first.`,
    )
  }
  const before = process.env['TMPDIR']
  const socketsBefore = new Set(tmuxSockets())
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'xt-')))
  const mounted = before === undefined && intoMemory(folder)
  process.env['TMPDIR'] = folder
  return async () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    const processes = await lastingProcesses(folder)
    const disks = mountsIn(folder)
    const files = readdirSync(folder).filter((name) => !CACHES.has(name))
    for (const { pid } of processes) endProcess(pid)
    for (const path of disks) unmountSmallDisk(path)
    if (mounted) unmountSmallDisk(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    // Elsewhere than in CI the user’s own servers come and go meanwhile.
    const sockets = process.env['CI']
      ? tmuxSockets().filter((path) => !socketsBefore.has(path))
      : []
    const found = [
      ...processes.map(({ pid, command }) => `process ${pid}: ${command}`),
      ...disks.map((path) => `file system ${path}`),
      ...files.map((name) => `file ${join(folder, name)}`),
      ...sockets.map((path) => `socket ${path}`),
    ]
    if (found.length > 0) throw new Error(`The tests left this behind:\n  ${found.join('\n  ')}`)
  }
}

/** Megabytes; the tests had 250 in use at most. */
const MEMORY = 4096

/** Puts an empty folder into memory. Returns whether that was possible. */
function intoMemory(folder: string): boolean {
  try {
    mountSmallDisk(folder, MEMORY)
    return true
  } catch {
    return false
  }
}

/** What Node and the tools put beside the tests' own folders. */
const CACHES = new Set([
  'node-compile-cache',
  'node-jiti',
  `claude-${process.getuid?.() ?? 0}`,
  'opencode',
])

/** tmux keeps its sockets in one folder per user, wherever TMPDIR is. */
function tmuxSockets(): string[] {
  const folder = join(process.env['TMUX_TMPDIR'] ?? '/tmp', `tmux-${process.getuid?.() ?? 0}`)
  return listFolder(folder).map((name) => join(folder, name))
}

/** File systems that a test mounted there. */
const mountsIn = (folder: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
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
async function lastingProcesses(folder: string): Promise<Running[]> {
  const deadline = Date.now() + 10_000
  // One that is just becoming another program shows nothing of itself for an instant.
  for (let quiet = 0; ;) {
    const found = processesOf(folder)
    quiet = found.length === 0 ? quiet + 1 : 0
    if (quiet === 2 || Date.now() > deadline) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Found by environment, command line or working directory. Linux only: elsewhere nothing is looked
 * for.
 */
function processesOf(folder: string): Running[] {
  const family = new Set([process.pid, process.ppid])
  const found: Running[] = []
  for (const name of listFolder('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || family.has(pid)) continue
    const command = readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    // Kernel threads and zombies have no command line.
    if (command === '') continue
    const mentions =
      command.includes(folder) ||
      readProc(`/proc/${pid}/environ`).includes(folder) ||
      workingDirectory(pid).startsWith(folder)
    // Vitest's own workers are distinguished by their parent: they end with it.
    if (mentions && parentOf(pid) !== process.pid)
      found.push({ pid, command: command.slice(0, 200) })
  }
  return found
}

function listFolder(path: string): string[] {
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

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
