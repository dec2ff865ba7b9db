/** From `start` up to, but not including, `end`. Minutes. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** Whether two intervals share any time. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start <= b.end && b.start <= a.end
}

/** The same time, in as few intervals as possible, earliest first. */
export function union(intervals: Interval[]): Interval[] {
  return intervals
}
