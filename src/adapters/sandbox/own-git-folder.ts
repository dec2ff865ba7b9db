import { lstat, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * The git folder of a worktree, `<commonDir>/worktrees/NAME`, as its `.git` file says and that
 * folder says of the worktree. SANDBOX_UNAVAILABLE where they don’t agree: an agent that ran without
 * a sandbox may have changed the one that it can write, and the daemon’s git would go by it.
 */
export async function ownGitFolder(worktree: string, commonDir: string): Promise<string> {
  const pointer = join(worktree, '.git')
  const refuse = (why: string): ExomonadError =>
    new ExomonadError(
      'SANDBOX_UNAVAILABLE',
      `${worktree} can’t be confined: ${why}. Look at it, put it right with \`git worktree repair\`, and start the agent again.`,
      { worktree },
    )
  const found = await lstat(pointer).catch(() => null)
  if (found?.isFile() !== true) throw refuse(`${pointer} is not the file of a linked worktree`)
  const named = /^gitdir: (.+)\n?$/.exec(await readFile(pointer, 'utf8'))?.[1]
  if (named === undefined) throw refuse(`${pointer} names no git folder`)
  const folder = await realpath(resolve(worktree, named)).catch(() => null)
  const worktrees = await realpath(join(commonDir, 'worktrees')).catch(() => null)
  if (folder === null || worktrees === null || dirname(folder) !== worktrees)
    throw refuse(`${pointer} names ${named}, which is none of this repository’s`)
  const back = (await readFile(join(folder, 'gitdir'), 'utf8').catch(() => '')).trim()
  if ((await realpath(resolve(folder, back)).catch(() => null)) !== (await realpath(pointer)))
    throw refuse(`${folder} is of another worktree`)
  return folder
}

/** What stands for its `config.worktree`; makes the empty file, which no agent can write. */
export async function ownConfig(
  { state }: { readonly state: string },
  gitDir: string,
): Promise<{ hasOwnConfig: boolean; emptyFile: string }> {
  const emptyFile = join(state, 'empty')
  if ((await lstat(emptyFile).catch(() => null))?.size !== 0)
    await writeFile(emptyFile, '', { mode: 0o600 })
  const found = await lstat(join(gitDir, 'config.worktree')).catch(() => null)
  return { hasOwnConfig: found?.isFile() === true && found.size > 0, emptyFile }
}
