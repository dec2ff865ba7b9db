import type { Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import type { Run } from './run.ts'

/** Identity for a commit that is compared and then forgotten. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'exomonad',
  GIT_AUTHOR_EMAIL: 'exomonad@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'exomonad',
  GIT_COMMITTER_EMAIL: 'exomonad@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
}

/**
 * Whether nothing of a branch would be lost with it. In order: it is an ancestor; merging it would
 * change nothing (squashed, and the same lines stand); each of its commits is there as the same
 * patch (rebased, cherry-picked); all of it together is (squashed, and changed since).
 */
export function createIsMerged({
  run,
  git,
}: {
  run: Run
  git: Pick<Git, 'isAncestor' | 'mergeBase' | 'mergeTree'>
}): Git['isMerged'] {
  const everyPatchIsIn = async (branch: string, into: Sha): Promise<boolean> => {
    const cherry = await run.output('compare patches', ['cherry', into, branch], { reads: true })
    const lines = cherry.split('\n').filter((line) => line !== '')
    return lines.length > 0 && lines.every((line) => line.startsWith('- '))
  }

  return async (branch, into) => {
    if (await git.isAncestor(branch, into)) return true
    const base = await git.mergeBase(branch, into)
    if (base === null) return false

    const merged = await git.mergeTree(into, branch)
    if (merged.kind === 'clean') {
      const tree = await run.output('read a tree', ['rev-parse', '--verify', `${into}^{tree}`], {
        reads: true,
      })
      if (tree.trim() === merged.tree) return true
    }

    // Patches of merge commits are not compared by git, so that a resolution made in one could be
    // lost: then only the whole counts.
    const merges = await run.output(
      'look for merges',
      ['rev-list', '--merges', '--max-count=1', `${base}..${branch}`],
      { reads: true },
    )
    if (merges.trim() === '' && (await everyPatchIsIn(branch, into))) return true

    const squashed = await run.output(
      'compare patches',
      ['commit-tree', `${branch}^{tree}`, '-p', base, '-m', 'squashed'],
      { env: NOBODY },
    )
    return everyPatchIsIn(squashed.trim(), into)
  }
}
