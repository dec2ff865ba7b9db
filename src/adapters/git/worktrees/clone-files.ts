import { constants } from 'node:fs'
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Exec } from '../../../processes/exec.ts'
import type { Git } from '../git.ts'
import { recordOf } from './worktree-record.ts'

const CLONE = process.platform === 'darwin' ? ['-a', '-c', '--'] : ['-a', '--reflink=always', '--']
const PATH = '/usr/local/bin:/usr/bin:/bin'

export const canShareBlocks: Git['canShareBlocks'] = async (folder) => {
  const [one, two] = ['a', 'b'].map((name) => join(folder, `.exomonad-probe-${name}`))
  if (one === undefined || two === undefined) return false
  try {
    await writeFile(one, 'x'.repeat(65_536))
    await copyFile(one, two, constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    return false
  } finally {
    await Promise.all([one, two].map((file) => rm(file, { force: true })))
  }
}

/**
 * Files and index of a worktree into another that is empty, by blocks that both share. False where
 * that can’t be done; some of it may be there then.
 */
export async function cloneFiles(exec: Exec, seed: string, path: string): Promise<boolean> {
  const names = (await readdir(seed)).filter((name) => name !== '.git')
  const [from, to] = await Promise.all([recordOf(seed), recordOf(path)])
  if (from === undefined || to === undefined) return false
  // Of a split index one file alone is worth nothing.
  if ((await readdir(from)).some((name) => name.startsWith('sharedindex.'))) return false
  const copied = await exec('cp', [...CLONE, ...names, path], { cwd: seed, env: { PATH } })
  if (copied.exitCode !== 0) return false
  await copyFile(join(from, 'index'), join(to, 'index'))
  return true
}
