import type { Agent } from '../../domain/records.ts'

/**
 * Begin the reason of a wait where a terminal shows something that nobody knows, in the place of
 * its prompt.
 */
const SHOWS = 'its terminal shows: '
const SHOWS_MIDTURN = 'in its turn its terminal shows: '

const LINES = 12
const WIDTH = 120

/** Frames of boxes, rules and shades, and where a menu’s mark stands alone. */
const FRAME = /[\u2500-\u259F]/g

/** The last lines of a screen that say something. */
export function lastLinesOf(screen: string): string {
  const rows = screen.split('\n').map((row) => row.replace(FRAME, ' ').replace(/\s+/g, ' ').trim())
  return rows
    .filter((row) => /[\p{L}\p{N}]/u.test(row))
    .slice(-LINES)
    .map((row) => (row.length > WIDTH ? `${row.slice(0, WIDTH)}…` : row))
    .join('\n')
}

type Known = Pick<Agent, 'state' | 'stateReason'>

/** Why an agent waits whose terminal shows these lines. */
export const shownReason = (agent: Known, lines: string): string =>
  `${agent.state === 'idle' ? SHOWS : SHOWS_MIDTURN}${lines === '' ? 'nothing' : lines.replaceAll('\n', ' · ')}`

/** It waits for a person before something that nobody knows. */
export const isAtDialog = ({ state, stateReason }: Known): boolean =>
  state === 'waiting' && [SHOWS, SHOWS_MIDTURN].some((words) => stateReason?.startsWith(words))

/** The same, where its turn had ended before, and was reported. */
export const restsAtDialog = (agent: Known): boolean =>
  isAtDialog(agent) && agent.stateReason?.startsWith(SHOWS) === true
