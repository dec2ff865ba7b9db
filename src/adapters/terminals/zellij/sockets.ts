import { randomBytes } from 'node:crypto'
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'

/**
 * Where Zellij finds our session. Each of its commands connects to every session in the folder it is told (0.45.1), and one that is only just starting
 * ends by that, or loses its socket: those of people, and of other daemons. So what we run is shown a folder with nothing but a second name of our
 * session’s socket, while people have it beside their own.
 */
export interface Sockets {
  /** For `ZELLIJ_SOCKET_DIR`: of that folder, or the common one where a socket can’t have two names. */
  readonly folder: string
  /** Whether there is a socket of our session: a server may listen there. */
  find(): Promise<boolean>
  /** Zellij takes away the name by which it reached nobody: the other one goes too. */
  forgetLost(): Promise<void>
  /** Takes our folder away. */
  remove(): Promise<void>
}

/** Bytes of a socket’s path, without the one that ends it. */
const LONGEST = process.platform === 'linux' ? 107 : 103

/** `common`: the folder that people’s sessions are in, in folders by version of the protocol. */
export function createSockets({ common, session }: { common: string; session: string }): Sockets {
  const own = join(common, session)
  let canLink = true
  let linked: { path: string; socket: string } | undefined

  const known = async (): Promise<string | undefined> => {
    if (linked !== undefined && (await stat(linked.socket).catch(() => undefined)) !== undefined) return linked.socket
    const folders = await readdir(common, { withFileTypes: true }).catch(() => [])
    for (const folder of folders) {
      if (!folder.isDirectory() || folder.name === session) continue
      const path = join(common, folder.name, session)
      if ((await stat(path).catch(() => undefined))?.isSocket() === true) return path
    }
    return undefined
  }
  const isSame = async (one: string, other: string): Promise<boolean> => {
    const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
    return first !== undefined && first.ino === second?.ino && first.dev === second.dev
  }
  /** In one step: others use the name meanwhile. */
  const give = async (socket: string, path: string): Promise<void> => {
    const draft = `${path}~${randomBytes(4).toString('hex')}`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await link(socket, draft)
      await rename(draft, path)
    } finally {
      // Where both were names of the same socket, renaming does nothing.
      await rm(draft, { force: true })
    }
  }

  return {
    get folder() {
      return canLink ? own : common
    },
    find: async () => {
      const socket = await known()
      if (socket === undefined) return false
      const path = join(own, socket.slice(common.length + 1))
      if (!canLink || Buffer.byteLength(path) > LONGEST) {
        canLink = false
        return true
      }
      if (!(await isSame(socket, path)))
        await give(socket, path).catch(async () => {
          // Where it went meanwhile there is nothing to link.
          canLink = (await stat(socket).catch(() => undefined)) === undefined
        })
      linked = { path, socket }
      return true
    },
    forgetLost: async () => {
      if (!canLink || linked === undefined) return
      const { path, socket } = linked
      if ((await stat(path).catch(() => undefined)) === undefined) await rm(socket, { force: true })
    },
    remove: () => rm(own, { recursive: true, force: true }),
  }
}
