import { linkSync, lstatSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { makePrivateFolder } from '../../runtime/private-folder.ts'
import { ExomonadError } from '../../domain/errors.ts'

const HOLDS = 'the daemon’s socket'

/**
 * Makes room for the daemon’s socket: its folder, 0700, and nothing in the way. A socket that a
 * dead daemon left is removed; the caller holds the instance lock, so no live one serves there.
 * Throws NOT_AVAILABLE for a folder that isn’t this user’s (in a shared one such as /tmp anybody
 * can put something of that name there first) and for a file of another kind.
 */
export function prepareSocketFile(path: string): void {
  makePrivateFolder(dirname(path), HOLDS)
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
  makePrivateFolder(folder, HOLDS)
  const draft = join(folder, `.${process.pid}`)
  rmSync(draft, { force: true })
  linkSync(path, draft)
  renameSync(draft, join(folder, basename(path)))
}

/** Takes it away: who connects is to be told that nobody is there. */
export function unlinkConfined(path: string): void {
  rmSync(join(confinedSocketFolder(path), basename(path)), { force: true })
}
