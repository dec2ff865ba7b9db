import { setTimeout as delay } from 'node:timers/promises'
import { createDeadline } from './deadline.ts'
import { identityOf, SYSTEM_PROCESSES, type ProcessTable } from './process-table.ts'

const POLL = 10
/**
 * How long a killed process may take to disappear (one in an uninterruptible system call stays).
 */
const KILL_LIMIT = 2000

/** Who runs in the group; one that has ended and waits for its parent to notice doesn’t count. */
async function membersOf(leader: number, table: ProcessTable): Promise<ReadonlySet<string>> {
  if (!table.signal(-leader, 0)) return new Set()
  return new Set(
    (await table.list()).filter(({ group, zombie }) => group === leader && !zombie).map(identityOf),
  )
}

/** Who is left in the process group of a program that has just ended. */
export const leftInGroup = (
  leader: number,
  table: ProcessTable = SYSTEM_PROCESSES,
): Promise<ReadonlySet<string>> => membersOf(leader, table)

/**
 * Whether one of them is in it still: only so long can the number of the group be nobody else’s.
 */
export async function isStillIn(
  leader: number,
  members: ReadonlySet<string>,
  table: ProcessTable = SYSTEM_PROCESSES,
): Promise<boolean> {
  return (
    members.size > 0 &&
    (await table.list()).some(
      (record) => record.group === leader && members.has(identityOf(record)),
    )
  )
}

/**
 * SIGTERM to the process group of `leader`, whether that lives or not, and SIGKILL to what is left
 * of it after `grace` ms. Nobody there is fine. It goes on only while somebody is in the group who
 * was at the look before: else its number is another’s.
 */
export async function endGroup(
  leader: number,
  grace: number,
  table: ProcessTable = SYSTEM_PROCESSES,
): Promise<void> {
  if (leader <= 1) return
  let known = await membersOf(leader, table)
  if (!table.signal(-leader, 'SIGTERM')) return
  // A stopped one reacts to no other signal.
  table.signal(-leader, 'SIGCONT')
  const isOver = async (): Promise<boolean> => {
    const now = await membersOf(leader, table)
    const same = [...now].some((member) => known.has(member))
    known = now
    return !same
  }
  for (const notExpired = createDeadline(grace); notExpired();) {
    if (await isOver()) return
    await delay(POLL)
  }
  for (const notExpired = createDeadline(KILL_LIMIT); notExpired() && !(await isOver());) {
    table.signal(-leader, 'SIGKILL')
    await delay(POLL)
  }
}
