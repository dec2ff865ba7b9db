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
