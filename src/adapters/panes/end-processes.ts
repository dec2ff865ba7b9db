import { setTimeout as delay } from 'node:timers/promises'
import type { AgentId } from '../../ids.ts'
import { patience } from './patience.ts'
import { listProcesses, startedWith, withDescendants, type ProcessRecord } from './processes.ts'

const POLL = 20
/** How long a killed process may take to disappear (one in an uninterruptible system call stays). */
const KILL_LIMIT = 5000

export interface EndOptions {
  /** Milliseconds between the first signal and SIGKILL. */
  readonly grace: number
  /** What asks them to end: a hang-up where there was a terminal, the default; else SIGTERM. */
  readonly signal?: 'SIGHUP' | 'SIGTERM'
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already, which is what was wanted.
  }
}

const identity = ({ pid, started }: ProcessRecord): string => `${String(pid)} ${started}`

/**
 * Ends programs that lead a session each, with all they started: first asks them (and continues stopped ones),
 * then SIGKILL for what is left after `grace` ms. A process that left the session is found here as long as its parent lives.
 */
async function endProcesses(leaders: readonly number[], others: Promise<readonly number[]>, options: EndOptions): Promise<void> {
  const roots = new Set(leaders.filter((pid) => pid > 1))
  const tracked = new Map<string, ProcessRecord>()
  const asked = new Set<string>()
  const look = async (): Promise<ProcessRecord[]> => {
    const all = await listProcesses()
    const alive = all.filter((record) => tracked.has(identity(record)))
    for (const record of withDescendants(all, new Set([...roots, ...alive.map(({ pid }) => pid)]))) tracked.set(identity(record), record)
    return all.filter((record) => !record.zombie && tracked.has(identity(record)))
  }
  const ask = async () => {
    for (const record of await look()) {
      if (asked.has(identity(record))) continue
      asked.add(identity(record))
      signal(record.pid, options.signal ?? 'SIGHUP')
      signal(record.pid, 'SIGCONT')
    }
  }

  // Who is known is not kept waiting by the search for the others.
  if (roots.size > 0) await ask()
  for (const pid of await others) if (pid > 1) roots.add(pid)
  if (roots.size === 0) return
  await ask()
  let left = await look()
  for (const isEarly = patience(options.grace); left.length > 0 && isEarly(); left = await look()) await delay(POLL)
  for (const isEarly = patience(KILL_LIMIT); left.length > 0 && isEarly(); left = await look()) {
    for (const { pid } of left) signal(pid, 'SIGKILL')
    await delay(POLL)
  }
}

/** Ends what panes run and all that was ever started from them: some programs leave servers of their own behind, in other sessions. */
export async function endPanes(panes: readonly { pid: number; agentId: AgentId | null; ended: boolean }[], options: EndOptions): Promise<void> {
  // The number of a process that has ended may be another’s by now.
  const leaders = panes.flatMap(({ pid, ended }) => (ended ? [] : [pid]))
  const left = startedWith(panes.flatMap(({ agentId }) => (agentId === null ? [] : [`EXOMONAD_AGENT_ID=${agentId}`])))
  // Waited for after the leaders only: its failure must be nobody’s surprise meanwhile.
  left.catch(() => undefined)
  await endProcesses(leaders, left, options)
}
