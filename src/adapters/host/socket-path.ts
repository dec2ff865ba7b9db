import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ExomonadError } from '../../errors.ts'

/** Bytes that fit `sun_path` everywhere: 104 on macOS and the BSDs, 108 on Linux, the ending NUL included (unix(4), unix(7)). */
const LONGEST = 103

/**
 * Where the daemon’s socket goes: into the state folder, or where that path is too long into `<runtimeDir>/exomonad-<hash>`, which is
 * made 0700 and must be a folder of this user’s that nobody else can enter. Throws SOCKET_PATH_TOO_LONG, and NOT_AVAILABLE for a folder
 * that can’t be trusted or made.
 */
export function chooseSocketPath(places: { state: string; runtimeDir: string; hash: string }): string {
  const near = join(places.state, 'daemon.sock')
  if (Buffer.byteLength(near) <= LONGEST) return near
  const folder = join(places.runtimeDir, `exomonad-${places.hash}`)
  const short = join(folder, 'daemon.sock')
  if (Buffer.byteLength(short) > LONGEST) {
    throw new ExomonadError(
      'SOCKET_PATH_TOO_LONG',
      `The path of the daemon’s socket is too long (${Buffer.byteLength(near)} bytes in the repository, ${Buffer.byteLength(short)} in ${places.runtimeDir}; ${LONGEST} fit). Set XDG_RUNTIME_DIR to a folder with a short path.`,
      { found: short, allowed: LONGEST },
    )
  }
  makePrivateFolder(folder)
  return short
}

/** A shared folder such as /tmp lets anybody put something of that name there first. */
function makePrivateFolder(folder: string): void {
  const refuse = (why: string, cause?: unknown): ExomonadError =>
    new ExomonadError(
      'NOT_AVAILABLE',
      `${folder} cannot hold the daemon’s socket: ${why}. Remove it, or set XDG_RUNTIME_DIR to a folder of your own.`,
      { folder },
      { cause },
    )
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw refuse((error as Error).message, error)
  }
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) throw refuse('it is a symbolic link')
  if (!found.isDirectory()) throw refuse('it is not a folder')
  if (found.uid !== process.getuid?.()) throw refuse(`it belongs to user ${found.uid}`)
  if ((found.mode & 0o077) !== 0) throw refuse(`others may enter it (mode ${(found.mode & 0o777).toString(8)}, 700 is needed)`)
}
