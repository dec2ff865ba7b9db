import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../runtime/log.ts'
import { startedWith } from '../../../processes/processes.ts'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import type { Git } from '../../git/git.ts'
import { removeRunFolder, RUN_MARK } from './check-run.ts'

/**
 * Processes that carry a run’s mark, where the system shows it. Runs outlive a daemon that was
 * killed.
 */
const processesOf = (folder: string): Promise<number[]> => startedWith([`${RUN_MARK}=${folder}`])

/** So many looks in a row must find nobody, milliseconds apart; there are not more than so many. */
const QUIET_LOOKS = 3
const LOOK = 10
const LOOKS = 200

/** Ends and removes what runs of an earlier daemon left: processes, worktrees, folders. */
export async function sweepRuns({
  git,
  ciWork,
  log,
  find = processesOf,
}: {
  git: Git
  ciWork: string
  log: Log
  find?: (folder: string) => Promise<readonly number[]>
}): Promise<void> {
  for (const name of await readdir(ciWork).catch(() => [])) {
    const folder = join(ciWork, name)
    const logged = new Set<number>()
    // One that is just becoming another program shows no mark, and one may start another between
    // the look and its end.
    for (let [looks, quiet] = [0, 0]; looks < LOOKS && quiet < QUIET_LOOKS; looks += 1) {
      if (looks > 0) await delay(LOOK)
      const pids = await find(folder)
      for (const pid of pids) {
        if (!logged.has(pid)) log.info({ pid, folder }, 'ending what a cut-off check left running')
        logged.add(pid)
        sendSignal(pid, 'SIGKILL')
      }
      quiet = pids.length === 0 ? quiet + 1 : 0
    }
    await removeRunFolder(git, folder, log)
  }
}

/** Takes the folder of all runs away where it is empty: it lies in the user’s worktree. */
export async function removeEmptyFolder(ciWork: string): Promise<void> {
  await rmdir(ciWork).catch(() => undefined)
}
