/** All that is shown of a terminal in one word, to see whether it is another. */
export const shownKey = ({ label, state, needs, depth }: Shown): string =>
  [label, state, needs, String(depth)].join('|')

/** What a list of terminals shows of one where there is little room. */
export interface Shown {
  /** Short, and no other’s. */
  readonly label: string
  /** How it does: sign and word. */
  readonly state: string
  /** What a person has to do for it, in a word or two; empty where nothing is. */
  readonly needs: string
  /** How far below the root. */
  readonly depth: number
}
