import { lstat } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'

/** The absolute path of what lies below `root`; OUTSIDE_ROOT where it doesn’t. */
export function inside(root: string, file: string): string {
  const path = resolve(root, file)
  const way = relative(root, path)
  if (way === '' || way.startsWith(`..${sep}`) || way === '..')
    throw new ExomonadError('OUTSIDE_ROOT', `${file} leads out of ${root}.`, { file, root })
  return path
}

/** The symbolic link that a path below `root` is or leads through; undefined where there is none. */
export async function linkOnWay(root: string, target: string): Promise<string | undefined> {
  for (let path = target; path !== resolve(root); path = dirname(path)) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() === true) return path
  }
  return undefined
}

/**
 * The branch of the new worktree may hold links where the file is to go; nothing is written through
 * them.
 */
export async function refuseLinks(root: string, target: string, file: string): Promise<void> {
  const link = await linkOnWay(root, target)
  if (link === undefined) return
  throw new ExomonadError(
    'OUTSIDE_ROOT',
    `${file} would be written through ${relative(root, link)}, a symbolic link in ${root}.`,
    { file },
  )
}
