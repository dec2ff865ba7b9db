/** When somebody looked at the page, as their browser remembers. Milliseconds since the epoch. */
export interface Visit {
  /** The last sign of them. */
  readonly seen: number
  /** The end of the visit before this one; null for the first. */
  readonly before: number | null
}

/** Away for longer, it is another visit. Milliseconds. */
const APART = 10 * 60_000

/** `text`: what was remembered. */
export function visitAt(text: string | null, now: number): Visit {
  const [seen, before] = (text ?? '').split(' ').map(Number)
  if (seen === undefined || !(seen > 0)) return { seen: now, before: null }
  if (now - seen > APART) return { seen: now, before: seen }
  return { seen: now, before: before === undefined || !(before > 0) ? null : before }
}
