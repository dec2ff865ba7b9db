import type { Git } from '../git.ts'
import type { Run } from '../run.ts'

/**
 * Globs as git’s own: `*` stays within a folder, `**` does not, a folder’s name stands for all in
 * it. Nested repositories are left out.
 */
export const createIgnoredFiles =
  (run: Run): Git['ignoredFiles'] =>
  async (worktree, globs) => {
    if (globs.length === 0) return []
    const args = [
      'ls-files',
      '--others',
      '--ignored',
      '--exclude-standard',
      '-z',
      '--',
      ...globs.map((glob) => `:(glob)${glob}`),
    ]
    const names = await run.output('list ignored files', args, { worktree, reads: true })
    return names.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  }
