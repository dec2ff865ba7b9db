import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../git.ts'
import type { Run } from '../run.ts'

/**
 * git makes an empty folder in the place of each submodule of the commit; what .gitmodules names
 * beside these is not there at all.
 */
export const createEmptySubmodules =
  (run: Run): Git['emptySubmodules'] =>
  async (worktree) => {
    const found = await run.attempt(
      ['config', '--file', '.gitmodules', '--null', '--get-regexp', '^submodule\\..*\\.path$'],
      { worktree },
    )
    const paths = found.stdout
      .split('\0')
      .flatMap((entry) => (entry.includes('\n') ? [entry.slice(entry.indexOf('\n') + 1)] : []))
    const contents = await Promise.all(
      paths.map((path) => readdir(join(worktree, path)).catch(() => null)),
    )
    return paths.filter((_, index) => contents[index]?.length === 0)
  }
