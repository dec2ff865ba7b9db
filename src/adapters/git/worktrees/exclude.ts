import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../git.ts'
import type { Mutex } from '../mutex.ts'

/**
 * `<common-dir>/info/exclude`: ignores for all worktrees that no commit shows. Lines of others stay
 * as they are.
 */
export function createExclude({
  commonDir,
  lock,
}: {
  commonDir: string
  lock: Mutex
}): Pick<Git, 'exclude' | 'unexclude'> {
  const file = join(commonDir, 'info', 'exclude')
  const edit = (change: (lines: string[]) => string[]): Promise<void> =>
    lock(async () => {
      const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return ''
        throw error
      })
      const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n')
      const changed = change(lines)
      const after = changed.length === 0 ? '' : `${changed.join('\n')}\n`
      if (changed.length === lines.length) return
      await mkdir(join(commonDir, 'info'), { recursive: true })
      await writeFile(`${file}.exomonad`, after)
      await rename(`${file}.exomonad`, file)
    })
  return {
    exclude: (lines) =>
      edit((present) => [...present, ...new Set(lines.filter((line) => !present.includes(line)))]),
    unexclude: (lines) => edit((present) => present.filter((line) => !lines.includes(line))),
  }
}
