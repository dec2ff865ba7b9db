import { stripControls } from '../../sanitize/controls.ts'
import { redact, type KnownSecrets } from '../../sanitize/secrets.ts'

/**
 * Text from outside (reviews, comments, branch names, logs, other agents) on its way into an
 * agent’s terminal. Pure.
 *
 * - What src/sanitize takes from all text goes, and tabs.
 * - Lines after the first begin with `│ `: none can pose as a message of ours or start a command
 *   (`/`, `!`, `#`). The first follows the tag.
 */

export interface Cap {
  /** Characters. */
  readonly max: number
  /** Which end is kept: of a log the last lines say what went wrong. */
  readonly keep: 'start' | 'end'
  /** Where the whole can be read, as words that follow “the whole:”. */
  readonly whole: string
}

export function cap(text: string, { max, keep, whole }: Cap): string {
  if (text.length <= max) return text
  const cut = `[… ${text.length - max} more characters; the whole: ${whole}]`
  return keep === 'start'
    ? `${text.slice(0, max).toWellFormed()}\n${cut}`
    : `${cut}\n${text.slice(-max).toWellFormed()}`
}

const FENCE = '│ '

/** A value from outside, safe to stand behind a tag. */
export function escapeUntrusted(
  text: string,
  options: { cap: Cap; secrets?: KnownSecrets },
): string {
  const readable = redact(stripControls(text).trim(), options.secrets)
  return cap(readable, options.cap).replaceAll('\n', `\n${FENCE}`)
}

/**
 * A whole message: no line of it starts a command of an agent CLI, whatever a template made of the
 * values.
 */
export function guardMessage(text: string): string {
  return stripControls(text)
    .trim()
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^(?=[^\S\n]*[/!#])/gm, FENCE)
}
