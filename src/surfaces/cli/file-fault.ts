import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'

/** Why a file of this machine can’t be had, by the system’s own code. */
const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file, or no folder to hold it',
  ENOTDIR: 'a part of that path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links lead in a circle',
}

/**
 * Any thrown value as an ExomonadError. A file or folder that the person’s machine refuses to the
 * command is no fault of exomonad: NOT_AVAILABLE, with which, why, and what to do.
 */
export function asCommandError(
  thrown: unknown,
  home: string,
  /** Throws the system’s error where a folder can’t be written. */
  requireWritable: (folder: string) => void = (folder) => accessSync(folder, constants.W_OK),
): ExomonadError {
  const { code = '', path: refused, syscall = '' } = (thrown ?? {}) as NodeJS.ErrnoException
  const why =
    WHY[syscall === 'mkdir' && code === 'ENOENT' ? unmade(refused, requireWritable) : code]
  if (why === undefined || typeof refused !== 'string' || syscall.startsWith('spawn'))
    return asExomonadError(thrown)
  // Whole files are written under another name beside theirs, and renamed.
  const path = refused.replace(/\.(?:part-\d+|[0-9a-f]{8})$/, '')
  const isOwn = home.length > 1 && (path === home || path.startsWith(`${home}/`))
  const advice = isOwn
    ? `It belongs into your home (${home}): make that a folder that you can write, or let HOME name another one, then try again.`
    : 'Name another place, or put that right, then try again.'
  return new ExomonadError(
    'NOT_AVAILABLE',
    `${path} can’t be used: ${why}. ${advice}`,
    { path },
    { cause: thrown },
  )
}

/**
 * Why a folder could not be made: of one on a read-only file system Node says ENOENT where it was to
 * make those above it, too, whatever the system said. The nearest that is there knows.
 */
function unmade(path: string | undefined, requireWritable: (folder: string) => void): string {
  let folder = path ?? ''
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    requireWritable(folder)
    return 'ENOENT'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ENOENT'
  }
}
