import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Has the linked worktrees of a repository that was moved or copied be where `relocate` says: the
 * records of git, and the `.git` file of each that is there. Those that stay where they were are the
 * repository’s own only where it was moved: `former` is where its git directory was then, null in a
 * copy. `git worktree repair` is no help, as in a copy it would have the original’s worktrees belong
 * to it. Done again, it changes nothing.
 */
export async function relinkWorktrees(
  commonDir: string,
  { relocate, former }: { relocate: (path: string) => string; former: string | null },
): Promise<void> {
  const records = join(commonDir, 'worktrees')
  for (const name of await readdir(records).catch(() => [])) {
    const record = join(records, name, 'gitdir')
    const link = (await readText(record)).trimEnd()
    // A relative one is right wherever both were moved together.
    if (!link.startsWith('/')) continue
    const now = join(relocate(dirname(link)), '.git')
    const own = `gitdir: ${join(records, name)}\n`
    const before = (await readText(now)).trimEnd()
    if (now !== link) await replace(record, `${now}\n`)
    else if (former === null || before !== `gitdir: ${join(former, 'worktrees', name)}`) continue
    // Never a folder, which is a repository of its own.
    if (before.startsWith('gitdir: ')) await replace(now, own)
  }
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

async function replace(file: string, text: string): Promise<void> {
  if ((await readText(file)) === text) return
  await writeFile(`${file}.exomonad`, text)
  await rename(`${file}.exomonad`, file)
}
