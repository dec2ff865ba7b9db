import { asBranchName, type Sha } from '../../../domain/ids.ts'
import type { WorktreeEntry } from '../git.ts'

/** Reads `git worktree list --porcelain -z`: attributes end in NUL, entries in an empty one. */
export function parseWorktreeList(text: string): WorktreeEntry[] {
  return text
    .split('\0\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const facts = new Map<string, string>()
      for (const attribute of entry.split('\0')) {
        const space = attribute.indexOf(' ')
        facts.set(
          space < 0 ? attribute : attribute.slice(0, space),
          space < 0 ? '' : attribute.slice(space + 1),
        )
      }
      const branch = facts.get('branch')
      const head = facts.get('HEAD')
      return {
        path: facts.get('worktree') ?? '',
        branch: branch === undefined ? null : asBranchName(branch.replace(/^refs\/heads\//, '')),
        head: head === undefined || /^0+$/.test(head) ? null : (head as Sha),
        bare: facts.has('bare'),
        prunable: facts.has('prunable'),
      }
    })
}

/**
 * With the main worktree where it is: of a git directory that is not called `.git` git names that
 * directory instead.
 */
export const withMainAt = (
  entries: readonly WorktreeEntry[],
  { commonDir, main }: { commonDir: string; main: string },
): WorktreeEntry[] =>
  entries.map((entry) =>
    !entry.bare && entry.path === commonDir && !entries.some(({ path }) => path === main)
      ? { ...entry, path: main }
      : entry,
  )
