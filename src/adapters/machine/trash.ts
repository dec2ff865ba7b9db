import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exec } from '../../processes/exec.ts'
import type { Log } from '../../runtime/log.ts'

/**
 * For each file that goes some disks have their program wait, longer than it works: one that is told
 * of every freed block (ext4 with `discard`) three times as long. Several wait at the same time.
 */
const AT_ONCE = 4

/**
 * Where files go that nobody needs any more: moved there in one step, deleted when there is time.
 * What a crash left goes when it is created.
 */
export interface Trash {
  readonly folder: string
  /** Deletes what is in it, in the background. */
  empty(): void
}

export function createTrash({
  folder,
  log,
  exec,
  path,
}: {
  folder: string
  log: Log
  exec: Exec
  /** Where programs are looked for. */
  path: string
}): Trash {
  let running = false
  let again = false

  /**
   * By a program of its own, which yields to what others do: file by file it would take this one
   * from its work for seconds.
   */
  const remove = async (target: string): Promise<void> => {
    const args = ['-n', '19', 'rm', '-rf', '--', target]
    const { exitCode } = await exec('nice', args, { cwd: '/', env: { PATH: path } })
    if (exitCode === 0) return
    // Without that program, or where it could not: this says why.
    await rm(target, { recursive: true, force: true }).catch((thrown: unknown) =>
      log.warn(
        { err: thrown, path: target },
        'a removed worktree could not be deleted; it is tried again at the next start',
      ),
    )
  }

  const work = async (): Promise<void> => {
    do {
      again = false
      const names = (await readdir(folder).catch(() => [])).values()
      const worker = async (): Promise<void> => {
        for (const name of names) await remove(join(folder, name))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    } while (again)
  }

  const empty = (): void => {
    again = true
    if (running) return
    running = true
    void work().finally(() => (running = false))
  }
  empty()
  return { folder, empty }
}
