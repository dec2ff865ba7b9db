import type { Shown } from '../adapters/terminals/holder.ts'

/** All that is shown of a terminal in one word, to tell whether it is another. */
export const shownKey = ({ label, state, needs, depth }: Shown): string => [label, state, needs, String(depth)].join('|')
