import { relative, sep } from 'node:path'

/** A path for eyes: the home folder as `~`. */
export const shortPath = (path: string, home: string): string =>
  path === home
    ? '~'
    : home !== '/' && path.startsWith(home + sep)
      ? `~${path.slice(home.length)}`
      : path

/** A path below a folder relative to it, others as they are. */
export function pathFrom(folder: string, path: string): string {
  const way = relative(folder, path)
  return way === '' ? '.' : way.startsWith('..') ? path : way
}
