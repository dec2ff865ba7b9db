import { ExomonadError } from '../../../domain/errors.ts'
import type { Git } from '../../git/git.ts'
import type { BasePush } from '../merging.ts'
import type { MergeResults } from '../merge-results.ts'

/**
 * Lands what was checked here on a forge elsewhere: the base is moved to that very commit where it
 * still is what that was made on, and only where nothing protects it. Whoever pushes to it in
 * between is the new truth.
 */
export function createLandByPush({
  git,
  remote,
  pushes,
  known,
}: {
  git: Pick<Git, 'isAncestor' | 'push' | 'remoteTip'>
  remote: string
  pushes: BasePush | null
  known: MergeResults['known']
}): MergeResults['land'] {
  const again = 'ask again, and the forge merges it by its own rules'

  return async (base, { onto, links }, by) => {
    const last = links.at(-1)
    if (last === undefined) return 'landed'
    if (last.sha !== onto) {
      if ((await known(last.tree)).state !== 'passed')
        return { refused: `nothing checks any more what it comes to ([fold] check); ${again}` }
      if (pushes === null || !(await pushes.isFree(base)))
        return { refused: `rules protect ${base} by now, or can’t be read; ${again}` }
      // The lease alone would let it replace what the base has.
      if (!(await git.isAncestor(onto, last.sha)))
        throw new ExomonadError('INTERNAL', `${last.sha} is not on top of ${onto}.`, { base })
      const pushed = await git.push(remote, { sha: last.sha, branch: base, expected: onto })
      if (pushed.kind === 'rejected') {
        if ((await git.remoteTip(remote, base)) !== onto) return 'base_moved'
        pushes.refused(base)
        return { refused: `${remote} refused the push to ${base} (${pushed.reason}); ${again}` }
      }
    }
    await pushes?.landed(
      links.map(({ number, sha, head }) => ({ number, sha, head, by: by.get(number) ?? 'daemon' })),
    )
    return 'landed'
  }
}
