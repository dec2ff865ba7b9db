/** The newest results by what they were made of; a failure is not kept. */
export function createMemory<Result>(most: number) {
  const kept = new Map<string, Result>()
  return async (of: readonly unknown[], make: () => Promise<Result>): Promise<Result> => {
    const key = JSON.stringify(of)
    const result = kept.get(key) ?? (await make())
    kept.delete(key)
    kept.set(key, result)
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break
      kept.delete(oldest)
    }
    return result
  }
}
