import { setTimeout as delay } from 'node:timers/promises'
import { listProcesses } from '../panes/processes.ts'

const POLL = 10
/** How long a killed process may take to disappear (one in an uninterruptible system call stays). */
const KILL_LIMIT = 2000

function signalGroup(leader: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, name)
  } catch {
    return false
  }
}

/** Whether somebody of it still runs; one that has ended and waits for its parent to notice doesn’t count. */
async function anyOf(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false
  return (await listProcesses()).some(({ group, zombie }) => group === leader && !zombie)
}

/** SIGTERM to the process group of `leader`, whether that lives or not, and SIGKILL to what is left of it after `grace` ms. Nobody there is fine. */
export async function endGroup(leader: number, grace: number): Promise<void> {
  if (leader <= 1 || !signalGroup(leader, 'SIGTERM')) return
  // A stopped one hears nothing else.
  signalGroup(leader, 'SIGCONT')
  for (const end = performance.now() + grace; performance.now() < end;) {
    if (!(await anyOf(leader))) return
    await delay(POLL)
  }
  for (const end = performance.now() + KILL_LIMIT; performance.now() < end && (await anyOf(leader));) {
    signalGroup(leader, 'SIGKILL')
    await delay(POLL)
  }
}
