import { lstat, readlink, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'

/** Of absolute paths, by their words alone. */
export const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Where a path leads, links followed as far as there is something. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realPlace(parent), path.slice(parent.length))
  }
}

/**
 * Makes a link of a worktree (`file`, relative to `root`) in another one, at `target`: there it
 * points to the same place of that one. OUTSIDE_ROOT where it leads out, by whatever links.
 */
export async function copyLink({
  root,
  file,
  target,
}: {
  root: string
  file: string
  target: string
}): Promise<void> {
  const source = join(root, file)
  const text = await readlink(source)
  const pointedTo = resolve(dirname(source), text)
  if (!isWithin(root, pointedTo) || !isWithin(await realPlace(root), await realPlace(pointedTo))) {
    throw new ExomonadError(
      'OUTSIDE_ROOT',
      `worktree.include matches ${file}, a symbolic link to ${text}, which leads out of ${root}. Include a copy of what it points to instead.`,
      { file, target: text },
    )
  }
  if ((await lstat(target).catch(() => undefined)) !== undefined) await rm(target)
  // What is written with a whole path means a place of the first worktree.
  await symlink(text.startsWith(sep) ? relative(dirname(source), pointedTo) || '.' : text, target)
}
