/** The results in the order of the items, so many at a time. */
export async function atOnce<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const todo = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of todo) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return results
}
