/**
 * Runs work on a branch one after the other: a merge of it and a rebase of it must not overlap.
 */
export interface BranchLock {
  /**
   * `waited`: other work was in front, or came to its end after `since`, so that what was known of
   * the branch may have changed.
   */
  <Result>(
    branch: string,
    work: (waited: boolean) => Promise<Result>,
    since?: number,
  ): Promise<Result>
  /** For `since`, by whoever reads what is known of a branch before they ask for it. */
  now(): number
}

export function createBranchLock(): BranchLock {
  const last = new Map<string, Promise<unknown>>()
  /** Which of all that ended was the last on each branch. */
  const ended = new Map<string, number>()
  let count = 0
  const lock = async <Result>(
    branch: string,
    work: (waited: boolean) => Promise<Result>,
    since = count,
  ): Promise<Result> => {
    const before = last.get(branch)
    const waited = before !== undefined || (ended.get(branch) ?? 0) > since
    const begin = () => work(waited)
    const mine = (before ?? Promise.resolve()).then(begin, begin)
    const settled = mine.catch(() => {})
    last.set(branch, settled)
    try {
      return await mine
    } finally {
      ended.set(branch, ++count)
      if (last.get(branch) === settled) last.delete(branch)
    }
  }
  return Object.assign(lock, { now: () => count })
}
