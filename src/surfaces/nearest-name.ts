/** The name of the list that was most likely meant; undefined where none is close (a third of the letters, at least two, may differ). */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase())
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best?.name
}

/** Levenshtein: the fewest letters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
