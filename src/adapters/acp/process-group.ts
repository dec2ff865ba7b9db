import { setTimeout as delay } from 'node:timers/promises'
import { patience } from '../panes/patience.ts'
import { listProcesses, type ProcessRecord } from '../panes/processes.ts'

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

const identity = ({ pid, started }: ProcessRecord): string => `${pid} ${started}`

/** Who is left in the process group of a program that has just ended. */
export async function leftInGroup(leader: number): Promise<ReadonlySet<string>> {
  if (!signalGroup(leader, 0)) return new Set()
  return new Set((await listProcesses()).filter(({ group, zombie }) => group === leader && !zombie).map(identity))
}

/** Whether one of them is in it still: only so long can the number of the group be nobody else’s. */
export async function isStillIn(leader: number, members: ReadonlySet<string>): Promise<boolean> {
  return members.size > 0 && (await listProcesses()).some((record) => record.group === leader && members.has(identity(record)))
}

/** SIGTERM to the process group of `leader`, whether that lives or not, and SIGKILL to what is left of it after `grace` ms. Nobody there is fine. */
export async function endGroup(leader: number, grace: number): Promise<void> {
  if (leader <= 1 || !signalGroup(leader, 'SIGTERM')) return
  // A stopped one hears nothing else.
  signalGroup(leader, 'SIGCONT')
  for (const isEarly = patience(grace); isEarly();) {
    if (!(await anyOf(leader))) return
    await delay(POLL)
  }
  for (const isEarly = patience(KILL_LIMIT); isEarly() && (await anyOf(leader));) {
    signalGroup(leader, 'SIGKILL')
    await delay(POLL)
  }
}
