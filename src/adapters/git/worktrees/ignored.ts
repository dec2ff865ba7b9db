import type { Git } from '../git.ts'
import type { Run } from '../run.ts'

const IGNORED = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']

const namesIn = (output: string): string[] => output.split('\0').filter((name) => name !== '')

/**
 * Globs as git’s own: `*` stays within a folder, `**` does not, a folder’s name stands for all in
 * it. Nested repositories are left out.
 */
export const createIgnoredFiles =
  (run: Run): Git['ignoredFiles'] =>
  async (worktree, globs) => {
    if (globs.length === 0) return []
    const args = [...IGNORED, '--', ...globs.map((glob) => `:(glob)${glob}`)]
    const names = await run.output('list ignored files', args, { worktree, reads: true })
    return namesIn(names).filter((name) => !name.endsWith('/'))
  }

/** A folder all of which is ignored is one entry, and ends in `/`. */
export const createIgnoredEntries =
  (run: Run): Git['ignoredEntries'] =>
  async (worktree) =>
    namesIn(
      await run.output('list what is ignored', [...IGNORED, '--directory'], {
        worktree,
        reads: true,
      }),
    )

export const createTrackedFiles =
  (run: Run): Git['trackedFiles'] =>
  async (worktree, globs) => {
    if (globs.length === 0) return []
    const args = ['ls-files', '-z', '--', ...globs.map((glob) => `:(glob)${glob}`)]
    return namesIn(await run.output('list tracked files', args, { worktree, reads: true }))
  }
