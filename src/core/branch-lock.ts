/** Runs work on a branch one after the other: a merge of it and a rebase of it must not overlap. */
export type BranchLock = <Result>(branch: string, work: () => Promise<Result>) => Promise<Result>

export function createBranchLock(): BranchLock {
  const last = new Map<string, Promise<unknown>>()
  return async (branch, work) => {
    const before = last.get(branch) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => {})
    last.set(branch, settled)
    try {
      return await mine
    } finally {
      if (last.get(branch) === settled) last.delete(branch)
    }
  }
}
