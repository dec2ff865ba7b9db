import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * Makes room for the daemon’s socket: its folder, 0700, and nothing in the way. A socket that a
 * dead daemon left is removed; the caller holds the instance lock, so no live one serves there.
 * Throws NOT_AVAILABLE for a folder that isn’t this user’s (in a shared one such as /tmp anybody
 * can put something of that name there first) and for a file of another kind.
 */
export function prepareSocketFile(path: string): void {
  makePrivate(dirname(path))
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket())
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `${path} is in the way: the daemon’s socket belongs there. Move it away.`,
      { path },
    )
  unlinkSync(path)
}

function makePrivate(folder: string): void {
  const refuse = (why: string, cause?: unknown): ExomonadError =>
    new ExomonadError(
      'NOT_AVAILABLE',
      `${folder} cannot hold the daemon’s socket: ${why}. Remove it, or set XDG_RUNTIME_DIR to a folder of your own.`,
      { folder },
      { cause },
    )
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refuse((error as Error).message, error)
  }
  const found = lstatSync(folder)
  if (!found.isDirectory())
    throw refuse(found.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder')
  if (found.uid !== process.getuid?.()) throw refuse(`it belongs to user ${found.uid}`)
  // Once nobody else can enter, what others may have put there is out of their reach, and the
  // socket is made anew.
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700)
}
