import { existsSync } from 'node:fs'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Has the linked worktrees of a repository that was moved or copied be where `relocate` says: the
 * records of git, and the `.git` file of each that is there. `git worktree repair` is no help, as in
 * a copy it would have the original's worktrees belong to it. Done again, it changes nothing.
 */
export async function relinkWorktrees(
  commonDir: string,
  relocate: (path: string) => string,
): Promise<void> {
  const records = join(commonDir, 'worktrees')
  for (const name of await readdir(records).catch(() => [])) {
    const record = join(records, name, 'gitdir')
    const link = (await readFile(record, 'utf8').catch(() => '')).trimEnd()
    // A relative one is right wherever both were moved together.
    if (!link.startsWith('/')) continue
    const now = join(relocate(dirname(link)), '.git')
    if (now !== link) await replace(record, `${now}\n`)
    // What lies outside of the repository was not moved with it, nor is it a copy's.
    else if (!isBelow(commonDir, now)) continue
    if (existsSync(now)) await replace(now, `gitdir: ${join(records, name)}\n`)
  }
}

const isBelow = (commonDir: string, path: string): boolean =>
  path.startsWith(`${dirname(commonDir)}/`)

async function replace(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return
  await writeFile(`${file}.exomonad`, text)
  await rename(`${file}.exomonad`, file)
}
