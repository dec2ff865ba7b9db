import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import process from 'node:process'
import { ExomonadError } from '../domain/errors.ts'

/**
 * Makes a folder for sockets, 0700, or closes it to others where it is open. Throws NOT_AVAILABLE
 * where it isn’t this user’s: in a shared one such as /tmp anybody can put something of that name
 * there first. `holds`: what is to lie in it, in words.
 */
export function makePrivateFolder(folder: string, holds: string): void {
  const refuse = (why: string, cause?: unknown): ExomonadError =>
    new ExomonadError(
      'NOT_AVAILABLE',
      `${folder} cannot hold ${holds}: ${why}. Remove it, or set XDG_RUNTIME_DIR to a folder of your own.`,
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
