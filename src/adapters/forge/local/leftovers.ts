import { readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../../log.ts'
import type { Git } from '../../git/git.ts'
import { removeRunFolder, RUN_MARK } from './check-run.ts'

/** Processes that carry a run’s mark, where /proc tells. Runs outlive a daemon that was killed. */
async function processesOf(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid)
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return variables.split('\0').includes(`${RUN_MARK}=${folder}`) ? pid : null
    }),
  )
  return marked.filter((pid) => pid !== null)
}

/** Ends and removes what runs of an earlier daemon left: processes, worktrees, folders. */
export async function sweepRuns({ git, ciWork, log }: { git: Git; ciWork: string; log: Log }): Promise<void> {
  for (const name of await readdir(ciWork).catch(() => [])) {
    const folder = join(ciWork, name)
    for (const pid of await processesOf(folder)) {
      log.info({ pid, folder }, 'ending what a cut-off check left running')
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    await removeRunFolder(git, folder, log)
  }
}

/** Takes the folder of all runs away where it is empty: it lies in the user’s worktree. */
export async function removeEmptyFolder(ciWork: string): Promise<void> {
  await rmdir(ciWork).catch(() => undefined)
}
