import { parseDuration } from '../../text/duration.ts'

/** Seconds. */
const DEFAULT_TIMEOUT = 300

export interface WaitArguments {
  /** Seconds. */
  readonly timeout: number
  readonly agents: readonly string[]
}

/** A duration in front is the timeout, else that is five minutes; all else are agents. */
export function waitArguments(words: readonly string[]): WaitArguments {
  const timeout = parseDuration(words[0] ?? '')
  return {
    timeout: timeout ?? DEFAULT_TIMEOUT,
    agents: timeout === undefined ? words : words.slice(1),
  }
}
