import { setTimeout as delay } from 'node:timers/promises'
import type { AgentId } from '../../ids.ts'
import { leftInSession, listProcesses, withDescendants, type ProcessRecord } from './processes.ts'

const POLL = 20
/** How long a killed process may take to disappear (one in an uninterruptible system call stays). */
const KILL_LIMIT = 5000

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already, which is what was wanted.
  }
}

const identity = ({ pid, started }: ProcessRecord): string => `${String(pid)} ${started}`

/**
 * Ends programs that lead a terminal session each, with all they started: hang-up (and continue, for stopped ones),
 * then SIGKILL for what is left after `grace` ms. A process that left the session is found as long as its parent lives.
 */
async function endProcesses(leaders: readonly number[], options: { grace: number }): Promise<void> {
  const roots = new Set(leaders.filter((pid) => pid > 1))
  if (roots.size === 0) return
  const tracked = new Map<string, ProcessRecord>()
  const look = async (): Promise<ProcessRecord[]> => {
    const all = await listProcesses()
    const alive = all.filter((record) => tracked.has(identity(record)))
    for (const record of withDescendants(all, new Set([...roots, ...alive.map(({ pid }) => pid)]))) tracked.set(identity(record), record)
    return all.filter((record) => !record.zombie && tracked.has(identity(record)))
  }

  for (const { pid } of await look()) {
    signal(pid, 'SIGHUP')
    signal(pid, 'SIGCONT')
  }
  let left = await look()
  for (const end = performance.now() + options.grace; left.length > 0 && performance.now() < end; left = await look()) await delay(POLL)
  for (const end = performance.now() + KILL_LIMIT; left.length > 0 && performance.now() < end; left = await look()) {
    for (const { pid } of left) signal(pid, 'SIGKILL')
    await delay(POLL)
  }
}

/** Ends what panes run, and what programs that have ended left behind in their terminals. */
export async function endPanes(panes: readonly { pid: number; agentId: AgentId | null; ended: boolean }[], options: { grace: number }): Promise<void> {
  const leaders = await Promise.all(
    panes.map(async ({ pid, agentId, ended }) => (ended ? await leftInSession(pid, `EXOMONAD_AGENT_ID=${agentId ?? ''}`) : [pid])),
  )
  await endProcesses(leaders.flat(), options)
}
