import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
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

export function createTrash({ folder, log }: { folder: string; log: Log }): Trash {
  let running = false
  let again = false

  const work = async (): Promise<void> => {
    do {
      again = false
      // One after the other: nobody waits for it, and others use the disk.
      for (const name of await readdir(folder).catch(() => [])) {
        await rm(join(folder, name), { recursive: true, force: true }).catch((thrown: unknown) =>
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
