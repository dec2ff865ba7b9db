import { stateChip, type PullSummary } from './words.ts'

export const FILTERS = [
  ['open', 'Open'],
  ['landing', 'Landing'],
  ['merged', 'Merged'],
  ['closed', 'Closed'],
  ['all', 'All'],
] as const
export type Filter = (typeof FILTERS)[number][0]

/** It was asked to be merged: here, or where the forge does it by itself. */
const isLanding = ({ state, landing, scheduled }: PullSummary): boolean =>
  state === 'open' && (landing !== null || scheduled !== null)

const isIn = (pull: PullSummary, filter: Filter): boolean =>
  filter === 'all' || (filter === 'landing' ? isLanding(pull) : pull.state === filter)

export const countsOf = (pulls: readonly PullSummary[]): Record<Filter, number> => {
  const count = (filter: Filter) => pulls.filter((pull) => isIn(pull, filter)).length
  return {
    open: count('open'),
    landing: count('landing'),
    merged: count('merged'),
    closed: count('closed'),
    all: pulls.length,
  }
}

/** Those of a state in which all words are found, the newest first. */
export function pullsLike(
  pulls: readonly PullSummary[],
  filter: Filter,
  text: string,
): PullSummary[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return pulls
    .filter((pull) => isIn(pull, filter))
    .filter((pull) => {
      const all = [
        `#${pull.number}`,
        pull.title,
        pull.head_branch,
        pull.base_branch,
        pull.agent ?? '',
        stateChip(pull).text,
        `checks:${pull.checks}`,
        `review:${pull.review}`,
      ]
        .join('\n')
        .toLowerCase()
      return words.every((word) => all.includes(word))
    })
    .toSorted((a, b) => b.number - a.number)
}
