import type { Agent } from './records.ts'
import { isLasting } from './lifecycle.ts'
import { sharesBranch } from './agent-kinds.ts'
/** What a person wants to know of an agent's state. */
export interface StateFacts {
  readonly state: string
  readonly stateReason: string | null
  readonly kind: string
  readonly outcome: { readonly success: boolean } | null
  /** The work on its branch was merged. */
  readonly merged: boolean
}

const SIGNS = {
  spawning: '◌',
  running: '◐',
  waiting: '◇',
  idle: '○',
  unknown: '?',
  completed: '✓',
  failed: '✗',
  killed: '✗',
} as const
const isKnown = (state: string): state is keyof typeof SIGNS => Object.hasOwn(SIGNS, state)

/**
 * A state as it is shown everywhere: sign and word. An idle agent that is done or merged says that.
 */
export function stateWords(facts: StateFacts): { readonly sign: string; readonly word: string } {
  const { state } = facts
  if (state === 'idle') return idle(facts)
  return { sign: isKnown(state) ? SIGNS[state] : '', word: state }
}

function idle({ outcome, merged, stateReason, kind }: StateFacts): { sign: string; word: string } {
  if (outcome?.success === false) return { sign: '✗', word: 'gave up' }
  if (merged) return { sign: '✓', word: 'merged' }
  if (outcome?.success === true) return { sign: '✓', word: 'done' }
  // Ended by `down` or with the machine: `resume --all` starts it again. The root is a place and
  // needs no program.
  if (stateReason === 'stopped' && kind !== 'root') return { sign: SIGNS.idle, word: 'stopped' }
  return { sign: SIGNS.idle, word: 'idle' }
}

/** How what an ended agent was at can go on, as a sentence for a person; empty where it can’t. */
export function wayBack(agent: Pick<Agent, 'name' | 'kind' | 'state' | 'branch'>): string {
  if (!isLasting(agent)) return ''
  if (agent.state === 'failed')
    return `\`exomonad resume ${agent.name}\` starts it again where that is wanted.`
  if (sharesBranch(agent)) return 'It does not come back; fork its parent again.'
  return `It does not come back; \`exomonad spawn ${agent.kind === 'subtree' ? 'subtree' : 'workers'} NAME="what to do" --branch ${agent.branch}\` has a new agent go on with its work.`
}
