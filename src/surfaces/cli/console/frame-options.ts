import type { Palette } from '../../text/palette.ts'
import type { Scroll } from './rows/compose-scrollback.ts'

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

export interface Frame {
  /** As many as the terminal has, none wider than it is. */
  readonly rows: readonly string[]
  /** Where the cursor stands, from 0; null where there is none. */
  readonly cursor: { readonly x: number; readonly y: number } | null
  /** What can be scrolled: rows in all, and how many are seen. */
  readonly scrolling: { readonly total: number; readonly height: number; readonly scroll: Scroll }
}
