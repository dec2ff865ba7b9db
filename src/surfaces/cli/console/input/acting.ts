import type { Lines } from '../run-line.ts'
import type { Action, ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'

/** Milliseconds in which nobody sees that another row is selected. */
const NEW_ROW = 500

/** Does something with what is selected, unless that took the place of what was only just. */
export type Acting = (work: () => void) => void

/** `now`: milliseconds. */
export function createActing({
  store: { get, subscribe },
  lines,
  now,
}: {
  store: Store<ConsoleState, Action>
  lines: Lines
  now: () => number
}): Acting {
  let lost = get().lost
  let lostAt = Number.NEGATIVE_INFINITY
  subscribe(() => {
    const state = get()
    if (state.lost !== lost) lostAt = now()
    lost = state.lost
  })
  return (work) => {
    if (now() - lostAt >= NEW_ROW) return work()
    const words = 'What was selected is gone: look at what is selected now.'
    lines.notify(get().viewed, words, 'attention')
  }
}
