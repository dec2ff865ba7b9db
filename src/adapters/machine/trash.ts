import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exec } from '../../processes/exec.ts'
import type { Log } from '../../runtime/log.ts'

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
    // Without that program, or where it could not: this says why.
    if (exitCode !== 0) await rm(target, { recursive: true, force: true })
  }

  const work = async (): Promise<void> => {
    do {
      again = false
      // One after the other: nobody waits for it, and others use the disk.
      for (const name of await readdir(folder).catch(() => [])) {
        await remove(join(folder, name)).catch((thrown: unknown) =>
          log.warn(
            { err: thrown, path: join(folder, name) },
            'a removed worktree could not be deleted; it is tried again at the next start',
          ),
        )
      }
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
