import type { AgentState } from '../adapters/store/store.ts'

/**
 * The life of an agent:
 *
 *   spawning → running ⇄ idle
 *              running → waiting (in wait or question, or at a permission prompt) → running
 *   any of these ⇄ unknown: its program lives, and what it does can’t be told
 *   any of these → completed | failed | killed, which never change by themselves.
 *
 * The one way back is `exomonad resume`, by which a person starts a crashed agent’s program again: failed → spawning.
 * The root’s program may come and go; the root itself does not die.
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

export const isAlive = (state: AgentState): boolean => state !== 'completed' && state !== 'failed' && state !== 'killed'

/** Why an agent without a program is not a failure: `exomonad down` ended it, or nobody started the root yet. */
export const STOPPED = 'stopped'
