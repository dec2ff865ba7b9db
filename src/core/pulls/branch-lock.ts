/**
 * Runs work on a branch one after the other: a merge of it and a rebase of it must not overlap.
 * `waited`: other work was in front, so that what was known of the branch may have changed.
 */
export type BranchLock = <Result>(
  branch: string,
  work: (waited: boolean) => Promise<Result>,
) => Promise<Result>

export function createBranchLock(): BranchLock {
  const last = new Map<string, Promise<unknown>>()
  return async (branch, work) => {
    const before = last.get(branch)
    const begin = () => work(before !== undefined)
    const mine = (before ?? Promise.resolve()).then(begin, begin)
    const settled = mine.catch(() => {})
    last.set(branch, settled)
    try {
      return await mine
    } finally {
      if (last.get(branch) === settled) last.delete(branch)
    }
  }
}
