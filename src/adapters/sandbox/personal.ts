import { constants } from 'node:fs'
import { copyFile, cp, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import type { PersonalPath } from '../agent-cli/agent-cli.ts'
import { ownPath } from '../../domain/own-path.ts'

/**
 * Makes what a confined agent has of its own: home, temporary folder, spool, and copies of what its
 * program would change. Files are copied at each start, so that they are the person’s as of now;
 * folders once. Folders that it may write are made where they are missing, as the program would.
 * OUTSIDE_ROOT where the agent has put a link in the way: it is not written through.
 */
export async function preparePersonal(place: {
  readonly folder: string
  readonly home: string
  readonly personal: readonly PersonalPath[]
  readonly logs: { readonly own: readonly string[]; readonly ofBranch: string }
}): Promise<void> {
  const { folder, home, personal, logs } = place
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = personal.filter(({ access }) => access === 'own').map(({ path }) => path)
  for (const path of [home, '/tmp', ...logs.own, dirname(logs.ofBranch), ...own])
    await makeFolder(folder, ownPath(folder, path))
  // The repository’s is mounted over it.
  const log = ownPath(folder, logs.ofBranch)
  if ((await lstat(log).catch(() => null))?.isFile() === false)
    await rm(log, { recursive: true, force: true })
  for (const name of ['spool', 'ways']) await makeFolder(folder, join(folder, name))
  // Absent, it could be made by the agent; what is there it only reads.
  await writeFile(join(folder, 'channel.json'), 'null', { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  for (const { path, access, isFolder } of personal) {
    if (access === 'write' && isFolder === true) await mkdir(path, { recursive: true, mode: 0o700 })
    if (access === 'copy') await copy(folder, path)
  }
}

async function copy(folder: string, path: string): Promise<void> {
  const source = await stat(path).catch(() => null)
  if (source === null) return
  const target = ownPath(folder, path)
  await makeFolder(folder, dirname(target))
  const there = await lstat(target).catch(() => null)
  if (source.isDirectory()) {
    if (there === null)
      await cp(path, target, {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
      })
    return
  }
  // Whatever stands there goes; what is made anew is no link.
  if (there !== null) await rm(target, { recursive: true, force: true })
  await copyFile(path, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
}

/** A folder in the agent’s own, none of it through a link: the agent may write there. */
async function makeFolder(folder: string, path: string): Promise<void> {
  let made = folder
  for (const part of relative(folder, path).split('/')) {
    made = join(made, part)
    const there = await lstat(made).catch(() => null)
    if (there === null) await mkdir(made, { mode: 0o700 })
    else if (!there.isDirectory())
      throw new ExomonadError(
        'OUTSIDE_ROOT',
        `${made} is no folder: the agent has put something else in its place. Remove it and start the agent again.`,
        { path: made },
      )
  }
}
