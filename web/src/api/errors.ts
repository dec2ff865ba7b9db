import type { ErrorCode } from '../../../src/domain/error-codes.ts'

/** What the daemon refused, or that it could not be asked (DAEMON_UNAVAILABLE). */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly facts: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.facts = facts
  }
}

export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'DAEMON_UNAVAILABLE'

/** The daemon was away, or had just come back and did not know this browser yet. */
export const isPassing = (error: unknown): boolean =>
  isAway(error) || (error instanceof ApiError && error.code === 'UNAUTHORIZED')

/** Of anything that was thrown, for a person. */
export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
