import { z } from 'zod'

/**
 * What is said beside the bytes on the WebSocket of a terminal, each as one text frame of JSON.
 * Binary frames are what a terminal of that size gets and sends.
 */

const columns = z.number().int().min(1).max(1000)
const rows = z.number().int().min(1).max(500)

/** From who looks. */
export const terminalInput = z.discriminatedUnion('type', [
  /** From now on keys are taken, and the pane may get this size. */
  z.strictObject({ type: z.literal('type'), columns, rows }),
  /** From now on it is only looked at: the pane keeps its size, keys are thrown away. */
  z.strictObject({ type: z.literal('look') }),
  z.strictObject({ type: z.literal('resize'), columns, rows }),
  /** So many bytes were shown since the connection began; who says nothing gets no more. */
  z.strictObject({ type: z.literal('shown'), bytes: z.number().int().min(0) }),
])
export type TerminalInput = z.output<typeof terminalInput>

/** To who looks. */
export type TerminalMessage =
  /**
   * What comes from here on is drawn on an empty screen. `output` is text without a terminal, for
   * one of any size; in `type`, Escape interrupts its turn.
   */
  | {
      readonly type: 'opened'
      readonly agent_id: string
      readonly kind: 'terminal' | 'output'
      readonly mode: 'look' | 'type'
      /** False where `type` would be refused. */
      readonly may_type: boolean
    }
  /**
   * What comes is drawn for this size; `part` of it is the agent’s, where its pane shares a window.
   * `leads` has typed last, and the pane has its size.
   */
  | {
      readonly type: 'state'
      readonly columns: number
      readonly rows: number
      readonly part: {
        readonly left: number
        readonly top: number
        readonly columns: number
        readonly rows: number
      } | null
      readonly title: string
      readonly leads: 'this' | 'other' | null
    }
  /** Nothing comes any more, and the connection closes: `reason` in words. */
  | { readonly type: 'ended'; readonly reason: string }
  /** What was asked for is refused; where there is nothing to show, the connection closes. */
  | { readonly type: 'error'; readonly code: string; readonly error: string }

/** Bytes given out and not shown at which the pane has to wait, and at which it goes on. */
export const UNSHOWN = { most: 262_144, least: 65_536 } as const
