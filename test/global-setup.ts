import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { mountSmallDisk, unmountSmallDisk } from './helpers/small-disk.ts'
import {
  endProcess,
  endRun,
  isOwnersFile,
  lastingProcesses,
  listFolder,
  mountsIn,
  own,
  removeFormerRuns,
  tmuxSockets,
} from './leftovers.ts'

/**
 * Runs once around every test run, whichever projects it holds. Refuses a Node that exomonad does
 * not support, gives the run one temporary folder of its own (TMPDIR of all tests, short because
 * Unix sockets live in it), and fails the run where anything is left at its end: a process that was
 * started with that TMPDIR, or a file in it. Where TMPDIR is not set and the run may mount, that
 * folder is in memory: on a disk the same tests take a tenth more of the processors. What is
 * terminated leaves nothing of that either, and what is killed nothing once another run begins.
 */
export default function setup(): () => Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 14)) {
    throw new Error(
      `The tests run on Node 22.14 or newer; this is ${process.versions.node}. \`npm test\` uses the one in node_modules: run \`npm ci\` first.`,
    )
  }
  const before = process.env['TMPDIR']
  const socketsBefore = new Set(listFolder(tmuxSockets()))
  removeFormerRuns(tmpdir(), PREFIX)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)))
  const mounted = before === undefined && intoMemory(folder)
  own(folder)
  process.env['TMPDIR'] = folder
  const stop = (signal: NodeJS.Signals): void => {
    try {
      endRun(folder)
    } finally {
      process.exit(128 + constants.signals[signal])
    }
  }
  for (const signal of STOPS) process.once(signal, stop)
  return async () => {
    for (const signal of STOPS) process.off(signal, stop)
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    const processes = await lastingProcesses(folder)
    const disks = mountsIn(folder)
    const files = readdirSync(folder).filter((name) => !CACHES.has(name) && !isOwnersFile(name))
    for (const { pid } of processes) endProcess(pid)
    for (const path of disks) unmountSmallDisk(path)
    if (mounted) unmountSmallDisk(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    // Elsewhere than in CI the user’s own servers come and go meanwhile.
    const sockets = process.env['CI']
      ? listFolder(tmuxSockets()).filter((name) => !socketsBefore.has(name))
      : []
    const found = [
      ...processes.map(({ pid, command }) => `process ${pid}: ${command}`),
      ...disks.map((path) => `file system ${path}`),
      ...files.map((name) => `file ${join(folder, name)}`),
      ...sockets.map((name) => `socket ${join(tmuxSockets(), name)}`),
    ]
    if (found.length > 0) throw new Error(`The tests left this behind:\n  ${found.join('\n  ')}`)
  }
}

/** Of a run’s folder in the machine’s temporary one. */
const PREFIX = 'xt-'

/** What ends a run at once. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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
