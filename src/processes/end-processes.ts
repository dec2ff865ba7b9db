import { setTimeout as delay } from 'node:timers/promises'
import type { AgentId } from '../domain/ids.ts'
import { createDeadline } from '../../packages/subagents/src/processes/deadline.ts'
import {
  identityOf,
  SYSTEM_PROCESSES,
  type ProcessTable,
} from '../../packages/subagents/src/processes/process-table.ts'
import type { ProcessRecord } from '../../packages/subagents/src/processes/list-processes.ts'
import { startedWith, withDescendants } from './processes.ts'

const POLL = 20
/**
 * How long a killed process may take to disappear (one in an uninterruptible system call stays).
 */
const KILL_LIMIT = 5000

export interface EndOptions {
  /** Milliseconds between the first signal and SIGKILL. */
  readonly grace: number
  /** What asks them to end: a hang-up where there was a terminal, the default; else SIGTERM. */
  readonly signal?: 'SIGHUP' | 'SIGTERM'
}

/**
 * Ends programs that lead a session each, with all they started: first asks them (and continues
 * stopped ones), then SIGKILL for what is left after `grace` ms. A process that left the session is
 * found here as long as its parent lives. Once a leader and all that was found with it are gone,
 * its number may be given to somebody else, who is left alone.
 */
export async function endProcesses(
  leaders: readonly number[],
  others: Promise<readonly number[]>,
  options: EndOptions,
  table: ProcessTable = SYSTEM_PROCESSES,
): Promise<void> {
  const roots = new Set(leaders.filter((pid) => pid > 1))
  /** What each root was when it was first looked for: null where it had ended by then. */
  const firstSeen = new Map<number, string | null>()
  const tracked = new Map<string, ProcessRecord>()
  const asked = new Set<string>()
  const look = async (): Promise<ProcessRecord[]> => {
    const all = await table.list()
    const alive = all.filter((record) => tracked.has(identityOf(record)))
    const stillOurs = (root: number): boolean => {
      const record = all.find(({ pid }) => pid === root)
      const is = record === undefined ? null : identityOf(record)
      const first = firstSeen.get(root)
      if (first === undefined) {
        firstSeen.set(root, is)
        return true
      }
      // The system gives no number to another while a session or group of that number has anybody
      // in it.
      return is !== null
        ? is === first
        : alive.some(({ session, group }) => session === root || group === root)
    }
    const ours = new Set([...[...roots].filter(stillOurs), ...alive.map(({ pid }) => pid)])
    for (const record of withDescendants(all, ours)) tracked.set(identityOf(record), record)
    return all.filter((record) => !record.zombie && tracked.has(identityOf(record)))
  }
  const ask = async () => {
    for (const record of await look()) {
      if (asked.has(identityOf(record))) continue
      asked.add(identityOf(record))
      table.signal(record.pid, options.signal ?? 'SIGHUP')
      table.signal(record.pid, 'SIGCONT')
    }
  }

  // Who is known is not kept waiting by the search for the others.
  if (roots.size > 0) await ask()
  for (const pid of await others) if (pid > 1) roots.add(pid)
  if (roots.size === 0) return
  await ask()
  let left = await look()
  for (
    const notExpired = createDeadline(options.grace);
    left.length > 0 && notExpired();
    left = await look()
  )
    await delay(POLL)
  for (
    const notExpired = createDeadline(KILL_LIMIT);
    left.length > 0 && notExpired();
    left = await look()
  ) {
    for (const { pid } of left) table.signal(pid, 'SIGKILL')
    await delay(POLL)
  }
}

/**
 * Ends what panes run and all that was ever started from them: some programs leave servers of their
 * own behind, in other sessions.
 */
export async function endPanes(
  panes: readonly { pid: number; agentId: AgentId | null; ended: boolean }[],
  options: EndOptions,
): Promise<void> {
  const markers = panes.flatMap(({ agentId }) =>
    agentId === null ? [] : [`EXOMONAD_AGENT_ID=${agentId}`],
  )
  // The number of a process that has ended may be another’s by now.
  const leaders = panes.flatMap(({ pid, ended }) => (ended ? [] : [pid]))
  const left = startedWith(markers)
  // Waited for after the leaders only: its failure must be nobody’s surprise meanwhile.
  left.catch(() => undefined)
  await endProcesses(leaders, left, options)
  // What was started in the very instant of its starter’s end, or because of it, is nobody’s child
  // any more.
  const late = await startedWith(markers)
  if (late.length > 0) await endProcesses([], Promise.resolve(late), options)
}
