import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** A repository as its files show it. Absolute, real paths. */
export interface FoundRepository {
  readonly commonDir: string
  /** `<common-dir>` itself, or `<common-dir>/worktrees/<name>` in a linked worktree. */
  readonly gitDir: string
  readonly worktree: string
}

/**
 * The repository around a folder, without starting git: the nearest `.git` folder or file upwards
 * (gitrepository-layout(5)). Undefined where that is not enough to find it (bare repositories,
 * nothing found); then git has to be asked.
 */
export async function findRepository(cwd: string): Promise<FoundRepository | undefined> {
  let folder = await realpath(cwd)
  for (;;) {
    const mark = join(folder, '.git')
    const gitDir = await gitDirAt(mark)
    if (gitDir !== undefined) {
      const commonDir = await commonDirOf(gitDir)
      return commonDir === undefined ? undefined : { commonDir, gitDir, worktree: folder }
    }
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

async function gitDirAt(mark: string): Promise<string | undefined> {
  try {
    if ((await stat(mark)).isDirectory()) return await realpath(mark)
    const target = /^gitdir: (.+?)\r?\n?$/s.exec(await readFile(mark, 'utf8'))?.[1]
    return target === undefined ? undefined : await realpath(resolve(dirname(mark), target))
  } catch {
    return undefined
  }
}

async function commonDirOf(gitDir: string): Promise<string | undefined> {
  let target: string
  try {
    target = (await readFile(join(gitDir, 'commondir'), 'utf8')).trim()
  } catch {
    target = '.'
  }
  try {
    const commonDir = await realpath(resolve(gitDir, target))
    await stat(join(commonDir, 'HEAD'))
    return commonDir
  } catch {
    return undefined
  }
}
