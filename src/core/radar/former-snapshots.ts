import type { Deps } from '../deps.ts'

const DONE = 'radar-former-snapshots'

/**
 * Once in a repository’s life: takes away what older versions kept of worktrees in the repository
 * itself.
 */
export async function removeFormerSnapshots({
  store,
  git,
  log,
}: Pick<Deps, 'store' | 'git' | 'log'>): Promise<void> {
  try {
    if ((await store.snapshots.get(DONE)) !== undefined) return
    if ((await store.agents.list()).length > 0) await git.removeFormerSnapshots()
    await store.snapshots.put(DONE, { done: true })
  } catch (thrown) {
    log.warn(
      { err: thrown },
      'old snapshots of worktrees could not be removed; the next start does',
    )
  }
}
