/**
 * The newest results by what they were made of, each made once, also for those who ask while it is
 * being made; a failure is not kept.
 */
export function createMemory<Result>(most: number) {
  const kept = new Map<string, Promise<Result>>()
  return async (of: readonly unknown[], make: () => Promise<Result>): Promise<Result> => {
    const key = JSON.stringify(of)
    const result = kept.get(key) ?? make()
    kept.delete(key)
    kept.set(key, result)
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break
      kept.delete(oldest)
    }
    try {
      return await result
    } catch (thrown) {
      if (kept.get(key) === result) kept.delete(key)
      throw thrown
    }
  }
}
