import { link, readdir, rename, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

/** The sockets by which ssh’s connections are found, as files of a folder. */

/** Whether anything accepts connections there, an ssh that is ending included. */
export const listens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path })
    const say = (it: boolean) => (): void => {
      socket.destroy()
      resolve(it)
    }
    socket.once('connect', say(true))
    socket.once('error', say(false))
  })

/** Null where there is no such file. */
export const inodeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ ino }) => ino,
    () => null,
  )

/** False where that name is given. */
export const linked = (from: string, to: string): Promise<boolean> =>
  unless('EEXIST', link(from, to))

/** False where there is none of that name. */
export const renamed = (from: string, to: string): Promise<boolean> =>
  unless('ENOENT', rename(from, to))

async function unless(code: string, done: Promise<void>): Promise<boolean> {
  try {
    await done
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error
    return false
  }
}

/** Older than anything of a connection that is being made at this moment. Milliseconds. */
const STALE = 600_000

/** What connections that have ended left, or a process that was killed while it made one. */
export async function sweep(folder: string, key: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(`${key}.`)) continue
    const made = await stat(path).catch(() => null)
    if (made !== null && Date.now() - made.mtimeMs > STALE) await rm(path, { force: true })
  }
}
