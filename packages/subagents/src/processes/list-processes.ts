import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setImmediate as immediate } from 'node:timers/promises'

/**
 * A process as the system lists it. `started` distinguishes it from a later one with the same id.
 */
export interface ProcessRecord {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Foreground process group of its terminal; -1 without one, null where it is not known. */
  readonly foreground: number | null
  readonly zombie: boolean
  readonly started: string
}

/**
 * `/proc/<pid>/stat`: the name stands in parentheses and may hold anything, so fields count from
 * the last one. See proc(5).
 */
export function parseStat(text: string): ProcessRecord | undefined {
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session, , foreground] = fields
  if (Number.isNaN(pid) || fields.length < 20) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    foreground: Number(foreground),
    zombie: state === 'Z' || state === 'X',
    started: fields[19] ?? '',
  }
}

/** Where there is no /proc. */
export async function listByPs(): Promise<ProcessRecord[]> {
  const stdout = await new Promise<string>((resolve) =>
    execFile(
      'ps',
      ['-A', '-o', 'pid=,ppid=,pgid=,tpgid=,stat=,lstart='],
      {
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
        timeout: 5000,
        maxBuffer: 100 * 1024 * 1024,
      },
      (_error, listed) => resolve(listed),
    ),
  )
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(.*)$/.exec(line)
    if (match === null) return []
    const [, pid, parent, group, foreground, state = '', started = ''] = match
    // Without a session id the group stands for it: a pane's program leads both.
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      foreground: Number(foreground),
      zombie: state.startsWith('Z'),
      started,
    }
  })
}

/** Many who look at the same time share a look, which begins after each of them asked. */
export function shared<Seen>(look: () => Promise<Seen>): () => Promise<Seen> {
  let current: Promise<Seen> | undefined
  let following: Promise<Seen> | undefined
  const begin = (): Promise<Seen> => {
    const begun = look().finally(() => {
      if (current === begun) current = undefined
    })
    current = begun
    return begun
  }
  return () => {
    if (current === undefined) return begin()
    following ??= current
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        following = undefined
        return begin()
      })
    return following
  }
}

/** All processes, zombies included. Linux: from /proc; elsewhere from ps. */
export const listProcesses: () => Promise<ProcessRecord[]> = shared(() =>
  process.platform === 'linux' ? listByProc() : listByPs(),
)

/** Others get their turn after so many. */
const IN_A_ROW = 256

/**
 * Read in place: the kernel answers from memory, and handing each of these to another thread takes
 * ten times as long.
 */
async function listByProc(): Promise<ProcessRecord[]> {
  const records: ProcessRecord[] = []
  for (const [index, name] of readdirSync('/proc').entries()) {
    if (index % IN_A_ROW === IN_A_ROW - 1) await immediate()
    if (!/^\d+$/.test(name)) continue
    try {
      const record = parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'))
      if (record !== undefined) records.push(record)
    } catch {
      // It has ended.
    }
  }
  return records
}
