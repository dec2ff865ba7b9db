import type { Agent, AgentState } from './records.ts'

/**
 * The life of an agent:
 *
 *   spawning → running ⇄ idle
 *              running → waiting (in wait or question, or at a permission prompt) → running
 *   any of these ⇄ unknown: its program lives, and what it does can’t be determined
 *   any of these → completed | failed | killed, which never change by themselves.
 *
 * The one way back is `exomonad resume NAME`, by which a person starts a crashed agent’s program again:
 * failed → spawning. The root’s program may come and go; the root itself does not die.
 */
const NEXT: Readonly<Record<AgentState, readonly AgentState[]>> = {
  spawning: ['running', 'idle', 'waiting', 'unknown', 'completed', 'failed', 'killed'],
  running: ['idle', 'waiting', 'unknown', 'spawning', 'completed', 'failed', 'killed'],
  idle: ['running', 'waiting', 'unknown', 'spawning', 'completed', 'failed', 'killed'],
  waiting: ['running', 'idle', 'unknown', 'spawning', 'completed', 'failed', 'killed'],
  unknown: ['running', 'idle', 'waiting', 'spawning', 'completed', 'failed', 'killed'],
  completed: [],
  failed: ['spawning'],
  killed: [],
}

export const mayBecome = (from: AgentState, to: AgentState): boolean => NEXT[from].includes(to)

export const isAlive = (state: AgentState): boolean =>
  state !== 'completed' && state !== 'failed' && state !== 'killed'

/**
 * Why an agent without a program is not a failure: `exomonad down` ended it, or nobody started the
 * root yet.
 */
export const STOPPED = 'stopped'

/**
 * Why an agent idles whose program says nothing of its turns: its completion message ended its
 * task. What its parent or a person gives it after that begins the next.
 */
export const REPORTED = 'it reported what came of its task'

/** Why an agent idles whose turn ended while no daemon ran: nobody was notified of that then. */
export const ENDED_UNHEARD = 'its turn ended while the daemon was down'

/**
 * False for a root that nobody started, and for whoever was stopped: nothing that is sent to it
 * begins a turn.
 */
export const hasProgram = ({
  paneId,
  stateReason,
}: Pick<Agent, 'paneId' | 'stateReason'>): boolean => stateReason !== STOPPED && paneId !== null

/**
 * It rests when a turn is over and is given more, whatever its runtime; sessions and processes end
 * with what they were started for.
 */
export const isLasting = ({ kind }: { readonly kind: string }): boolean =>
  ['root', 'subtree', 'worker', 'fork'].includes(kind)

/**
 * Reasons of the state `waiting` while calls of ours hold the agent up: `question q-…`,
 * `subagent NAME` and `wait`. Any other wait may be a dialog.
 */
const IN_A_CALL = /^(question|subagent|wait)\b/
export const isInCall = ({ state, stateReason }: Pick<Agent, 'state' | 'stateReason'>): boolean =>
  state === 'waiting' && IN_A_CALL.test(stateReason ?? '')
