import type { Palette } from '../../text/palette.ts'

export interface FrameOptions {
  /** Size of the terminal. */
  readonly columns: number
  readonly rows: number
  readonly palette: Palette
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Counts up: turns what turns. */
  readonly spin: number
}
