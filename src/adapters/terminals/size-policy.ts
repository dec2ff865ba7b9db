/**
 * What size a terminal has while people look at it. Of those who may lead, the one who typed last
 * does; who attaches has typed that command. tmux decides by the same rules in its own formats
 * (tmux/sizes.ts), where somebody whose terminal changes size counts as typing.
 */

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Never smaller than this is what an agent's program gets for the sake of somebody who looks. */
export const LEAST_VIEW: Size = { columns: 80, rows: 20 }
/** In less than this nobody reads anything: a preview, a client of 2×1. */
export const LEAST_READABLE: Size = { columns: 20, rows: 5 }
/**
 * So many milliseconds nothing may change before a program is notified of another size: a person
 * who drags a border changes it fifty times.
 */
export const QUIET = 150

export interface Looking extends Size {
  readonly readOnly: boolean
  /**
   * A small part of a screen, opened for a person who may be looking at another: leads where
   * somebody typed in it, or else after all others.
   */
  readonly embedded: boolean
  /** Grows: who typed last has the greatest. Null where nothing was typed since it was opened. */
  readonly typed: number | null
  /** Grows: who came last has the greatest. */
  readonly since: number
}

const isSmaller = (size: Size, than: Size): boolean =>
  size.columns < than.columns || size.rows < than.rows

/** Who leads, of those who look. */
export function leaderOf(looking: Iterable<Looking>): Looking | undefined {
  let leader: Looking | undefined
  for (const one of looking) {
    if (one.readOnly || isSmaller(one, LEAST_READABLE)) continue
    if (leader === undefined || compare(one, leader) > 0) leader = one
  }
  return leader
}

/** `own`: the size where nobody leads. */
export function sizeFor(looking: Iterable<Looking>, own: Size): Size {
  const leader = leaderOf(looking)
  if (leader === undefined) return own
  return {
    columns: Math.max(leader.columns, LEAST_VIEW.columns),
    rows: Math.max(leader.rows, LEAST_VIEW.rows),
  }
}

const isUntouched = (one: Looking): boolean =>
  one.embedded && one.typed === null && isSmaller(one, LEAST_VIEW)
const compare = (one: Looking, other: Looking): number =>
  Number(isUntouched(other)) - Number(isUntouched(one)) ||
  (one.typed ?? one.since) - (other.typed ?? other.since)
