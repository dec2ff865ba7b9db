import type { Git } from '../git.ts'
import type { Run } from '../run.ts'

const OTHERS = ['ls-files', '--others', '--ignored', '-z']
const IGNORED = [...OTHERS, '--exclude-standard']

const asGlob = (glob: string): string => `:(glob)${glob}`

/**
 * What is beside the files of the index. Globs as git’s own: `*` stays within a folder, `**` does
 * not, a folder’s name stands for all in it.
 */
export function createIgnored(
  run: Run,
): Pick<Git, 'ignoredFiles' | 'ignoredEntries' | 'entriesListedBy' | 'isIgnored' | 'trackedFiles'> {
  const names = async (
    doing: string,
    args: readonly string[],
    worktree: string,
  ): Promise<string[]> =>
    (await run.output(doing, args, { worktree, reads: true }))
      .split('\0')
      .filter((name) => name !== '')

  return {
    ignoredFiles: async (worktree, globs) => {
      if (globs.length === 0) return []
      const args = [...IGNORED, '--', ...globs.map(asGlob)]
      // Nested repositories are left out.
      return (await names('list ignored files', args, worktree)).filter(
        (name) => !name.endsWith('/'),
      )
    },
    ignoredEntries: (worktree) =>
      names('list what is ignored', [...IGNORED, '--directory'], worktree),
    entriesListedBy: (worktree, file) =>
      names(
        `list what ${file} names`,
        [...OTHERS, `--exclude-from=${file}`, '--directory'],
        worktree,
      ),
    isIgnored: async (worktree, path) => {
      const args = ['check-ignore', '--quiet', '--', path]
      return (await run.attempt(args, { worktree, reads: true })).exitCode === 0
    },
    trackedFiles: async (worktree, globs) =>
      globs.length === 0
        ? []
        : names('list tracked files', ['ls-files', '-z', '--', ...globs.map(asGlob)], worktree),
  }
}
