import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/**
 * How far rebases of a branch ever came, by what they go onto; dropped where one is done or given
 * up.
 */
export const progressOf = ({ branch }: Pick<Agent, 'branch'>): string => `rebase-progress:${branch}`

/**
 * Whether the rebase that stands in progress is further than any onto the same commit was at a stop
 * before: at a later commit, or there with fewer files in conflict. Only that is no failed try:
 * what is done a second time, after it was aborted or the conflict made anew, has been counted.
 */
export function createGotFurther({ store, git }: Pick<Deps, 'store' | 'git'>) {
  return async (
    agent: Pick<Agent, 'branch' | 'worktree'>,
    files: readonly string[],
  ): Promise<boolean> => {
    const { step, onto } = (await git.rebaseStep(agent.worktree)) ?? { step: 0, onto: '' }
    const reached = (await store.snapshots.get(progressOf(agent))) ?? {}
    const best = reached[onto] as { step: number; files: number } | undefined
    const further =
      best === undefined || step > best.step || (step === best.step && files.length < best.files)
    if (further)
      await store.snapshots.put(progressOf(agent), {
        ...reached,
        [onto]: { step, files: files.length },
      })
    return further && best !== undefined
  }
}
