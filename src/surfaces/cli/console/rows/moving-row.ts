import type { FrameOptions } from '../frame-options.ts'
import type { ConsoleState } from '../state.ts'

const TURNING = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** What turns while something lasts. */
export const turningSign = (spin: number): string => TURNING[spin % TURNING.length] ?? ''

export const secondsSince = (since: number, now: number): string =>
  `${Math.max(0, Math.floor((now - since) / 1000))}s`

/** What runs and moves the view when it is done. */
export const movingWords = (
  { text, since }: NonNullable<ConsoleState['moving']>,
  { now, spin }: Pick<FrameOptions, 'now' | 'spin'>,
): string => `${turningSign(spin)} ${text} · ${secondsSince(since, now)}`
