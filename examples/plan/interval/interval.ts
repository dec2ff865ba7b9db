/** From `start` up to, but not including, `end`. Minutes. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** Whether two intervals share any time. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end
}

/** The same time, in as few intervals as possible, earliest first. */
export function union(intervals: Interval[]): Interval[] {
  const joined: Interval[] = []
  for (const next of intervals.sort((a, b) => a.start - b.start)) {
    if (next.start == next.end) continue
    const last = joined.at(-1)
    if (last && next.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, next.end) }
    else joined.push(next)
  }
  return joined
}

/** The parts of `from` that no hole covers, earliest first. */
export function subtract(from: Interval, holes: readonly Interval[]): Interval[] {
  const left: Interval[] = []
  let start = from.start
  for (const hole of union([...holes])) {
    if (hole.start > start) left.push({ start, end: Math.min(hole.start, from.end) })
    start = Math.max(start, hole.end)
    if (start >= from.end) return left
  }
  left.push({ start, end: from.end })
  return left.filter(({ start: from, end }) => from < end)
}
