import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDeadline } from '../../../packages/subagents/src/processes/deadline.ts'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import type { Bounds, LimitName } from '../../domain/formats/resource-limits.ts'
import type { Scope } from './ways.ts'
import {
  CONTROLLER,
  COUNT_FILE,
  parseCount,
  settings,
  type Counted,
  type GroupVersion,
} from './control-files.ts'

/** A control group of one agent. */
export interface Group {
  /** Absolute. */
  readonly path: string
  readonly version: GroupVersion
  readonly holds: readonly LimitName[]
  /** systemd’s, which makes and removes it. */
  readonly slice?: string | undefined
  readonly scope?: Scope | undefined
}

/** How long killed processes may take to leave their group. Milliseconds. */
const KILL_LIMIT = 5_000
const POLL = 20

/** Makes it where it is missing, with the folder that it lies in, and sets its limits. */
export async function makeGroup(group: Group, bounds: Bounds): Promise<void> {
  const base = dirname(group.path)
  await mkdir(base, { recursive: true })
  if (group.version === 2) await enable(base, group.holds)
  await mkdir(group.path, { recursive: true })
  await setLimits(group, bounds)
}

export async function setLimits({ path, version, holds }: Group, bounds: Bounds): Promise<void> {
  for (const { file, text, optional } of settings(holds, version, bounds)) {
    try {
      await writeFile(join(path, file), text)
    } catch (error) {
      if (optional !== true) throw error
    }
  }
}

/** Lets groups below this one have these controllers (version 2). Throws as the system does. */
export async function enable(path: string, holds: readonly LimitName[]): Promise<void> {
  const file = join(path, 'cgroup.subtree_control')
  const enabled = (await readFile(file, 'utf8')).split(/\s+/)
  const missing = holds.map((limit) => CONTROLLER[limit]).filter((name) => !enabled.includes(name))
  if (missing.length > 0) await writeFile(file, missing.map((name) => `+${name}`).join(' '))
}

/**
 * Takes it away with the groups that were made in it; false where processes are in it still.
 * `kill`: ends these first. Gone already is fine.
 */
export async function removeGroup(path: string, kill: boolean): Promise<boolean> {
  if (kill) await killAll(path)
  for (const name of await foldersIn(path)) await removeGroup(join(path, name), false)
  return removeEmpty(path)
}

/**
 * The same for one that holds nothing: what it has in it stays, also a group that waits for the
 * program it was made for.
 */
export async function removeEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

async function killAll(path: string): Promise<void> {
  for (const notExpired = createDeadline(KILL_LIMIT); ;) {
    const pids = await membersOf(path)
    if (pids.length === 0 || !notExpired()) return
    for (const pid of pids) sendSignal(pid, 'SIGKILL')
    await delay(POLL)
  }
}

export const isEmpty = async (path: string): Promise<boolean> =>
  (await membersOf(path)).length === 0

/** In it and all below. */
async function membersOf(path: string): Promise<number[]> {
  const text = await readFile(join(path, 'cgroup.procs'), 'utf8').catch(() => '')
  const own = text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1)
  const below = await Promise.all(
    (await foldersIn(path)).map((name) => membersOf(join(path, name))),
  )
  return [...own, ...below.flat()]
}

const foldersIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** How often each of its limits was met since it was made; undefined where it is gone. */
export async function countsOf({
  path,
  version,
  holds,
}: Group): Promise<{ counts: Partial<Record<Counted, number>>; made: string } | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined) return undefined
  const counts: Partial<Record<Counted, number>> = {}
  for (const limit of counted(holds)) {
    const file = COUNT_FILE[version][limit]
    const read = async (folder: string): Promise<number> =>
      parseCount(limit, version, await readFile(join(folder, file), 'utf8').catch(() => ''))
    const own = await read(path)
    // Before Linux 6.11 a refused process counts where it was to be, below what refused it.
    const below = await Promise.all((await foldersIn(path)).map((name) => read(join(path, name))))
    counts[limit] = Math.max(
      own,
      below.reduce((sum, one) => sum + one, 0),
    )
  }
  return { counts, made: String(found.ino) }
}

export const countFiles = ({ path, version, holds }: Group): string[] =>
  counted(holds).map((limit) => join(path, COUNT_FILE[version][limit]))

const counted = (holds: readonly LimitName[]): Counted[] =>
  holds.filter((limit) => limit !== 'cpu_weight')
