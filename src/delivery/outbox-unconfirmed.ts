import type { Lane } from '../domain/records.ts'

/**
 * A hand-over of one batch whose arrival nothing has proven yet: what the daemon knows of it
 * beyond what is stored of its deliveries, which are `claimed` or `handed` meanwhile
 * (src/domain/delivery-state.ts). Where the daemon ends it is forgotten; the next one has `found`.
 *
 *   a lane claims ─▶ under_way ──refused, or arrived where nothing confirms──▶ ∅
 *                        ├──typed into a box that can be seen──▶ in_box
 *                        ├──typed, and Enter could not be pressed──▶ stuck
 *                        └──else──▶ awaited
 *   a hook is answered ─▶ awaited
 *   a start finds it ─▶ found
 *
 *   each of these, when it is due ─▶ ∅, or the same again with another `dueAt` (outbox-proof.ts)
 */
export interface Unconfirmed {
  readonly lane: Lane
  phase: ProofPhase
  /** Enter was pressed once more; not a third time. */
  enteredAgain: boolean
  /** That nothing answers was said; not a second time. */
  unanswered: boolean
  /**
   * A line that points to the message was submitted, and the answer of that prompt’s hook was to
   * bring it.
   */
  submitted: boolean
}

/** Times are ms since the epoch. `dueAt`: when it has to be decided what became of it. */
export type ProofPhase =
  | { readonly name: 'under_way' }
  | { readonly name: 'awaited'; readonly dueAt: number }
  | {
      readonly name: 'in_box'
      readonly dueAt: number
      readonly typedAt: number
      /** When the box is looked at next: Enter may have been taken for a line break. */
      readonly boxAt: number
    }
  | { readonly name: 'stuck'; readonly dueAt: number; readonly reason: string }
  | {
      readonly name: 'found'
      readonly dueAt: number
      /**
       * Until then nothing is called undecided, and only what was never noted as handed over may
       * be gone.
       */
      readonly undecidedAfter: number
    }

export const newUnconfirmed = (lane: Lane, phase: ProofPhase): Unconfirmed => ({
  lane,
  phase,
  enteredAgain: false,
  unanswered: false,
  submitted: false,
})

/** When it has to be decided what became of it; never while it is under way. */
export const dueAtOf = (phase: ProofPhase): number =>
  phase.name === 'under_way' ? Infinity : phase.dueAt

/** When its box is looked at, where it can be seen. */
export const boxAtOf = (phase: ProofPhase): number =>
  phase.name === 'in_box' ? phase.boxAt : Infinity

/** It is decided later, at that time. */
export function postpone(expected: Unconfirmed, dueAt: number): 'later' {
  if (expected.phase.name !== 'under_way') expected.phase = { ...expected.phase, dueAt }
  return 'later'
}
