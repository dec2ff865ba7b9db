import type { PaneId } from '../../domain/ids.ts'

/** A terminal to be shown. */
export interface Shown {
  readonly paneId: PaneId
  readonly name: string
  /** Shows it in whatever terminal it runs in, and ends with it (`Holder.viewCommand`). */
  readonly argv: readonly string[]
  /** Beside the view of this one, as long as there is room; absent: in a tab of its own. */
  readonly beside?: PaneId
  readonly columns: number
  readonly rows: number
}

/**
 * Shows terminals that a holder owns: whatever becomes of it, no agent ends and no message is lost.
 * Nothing of it is ever asked for its state without need.
 */
export interface Viewer {
  readonly name: 'zellij'
  /**
   * Shows it soon. Never throws: what goes wrong is logged, and `attachCommand` shows it later. A
   * view that a person closes stays closed.
   */
  open(shown: Shown): void
  /** As soon, where it is shown. Never throws. */
  rename(paneId: PaneId, name: string): void
  /** Its view has ended with it. */
  closed(paneId: PaneId): void
  /**
   * What takes a person to its view, which is opened where it is not there; they are about to run
   * it. `inside`: name of the session of this viewer’s kind that they are in. Throws
   * MULTIPLEXER_UNAVAILABLE where it can’t be shown.
   */
  attachCommand(shown: Shown, inside?: string): Promise<readonly string[]>
  /** Ends all that it shows, and its session. */
  shutdown(): Promise<void>
  /** Lets go of it; what is shown stays. */
  dispose(): Promise<void>
  /** Resolves when nothing is being opened or renamed any more. */
  settled(): Promise<void>
}
