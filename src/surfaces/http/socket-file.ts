import { chmodSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
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

/**
 * The folder that a confined agent is given: a link to the daemon’s socket lies in it, and nothing
 * else. A sandbox shows a file as it was when it began, a folder as it is: so agents find the next
 * daemon.
 */
export const confinedSocketFolder = (path: string): string => join(dirname(path), 'confined')

/** Puts the link to a socket that is listened on there, in the place of the former daemon’s. */
export function linkConfined(path: string): void {
  const folder = confinedSocketFolder(path)
  makePrivate(folder)
  const draft = join(folder, `.${process.pid}`)
  rmSync(draft, { force: true })
  linkSync(path, draft)
  renameSync(draft, join(folder, basename(path)))
}

/** Takes it away: who connects is to be told that nobody is there. */
export function unlinkConfined(path: string): void {
  rmSync(join(confinedSocketFolder(path), basename(path)), { force: true })
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
