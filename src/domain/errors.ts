import type { ErrorCode } from './error-codes.ts'

/** Facts that go with an error, in its JSON beside `error` and `code`. */
export type ErrorFacts = Record<string, unknown>

/** The only error exomonad throws on purpose. `message` says what happened and what to do. */
export class ExomonadError extends Error {
  readonly code: ErrorCode
  readonly facts: ErrorFacts

  constructor(
    code: ErrorCode,
    message: string,
    facts: ErrorFacts = {},
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'ExomonadError'
    this.code = code
    this.facts = facts
  }

  /** The body of every error answer: `{error, code, …facts}`. */
  toJSON(): { error: string; code: ErrorCode } & ErrorFacts {
    return { ...this.facts, error: this.message, code: this.code }
  }
}

/** Any thrown value as an ExomonadError: itself, or DISK_FULL / INTERNAL with the cause kept. */
export function asExomonadError(thrown: unknown): ExomonadError {
  if (thrown instanceof ExomonadError) return thrown
  const cause = toError(thrown)
  const systemCode = (cause as NodeJS.ErrnoException).code
  if (systemCode === 'ENOSPC' || systemCode === 'EDQUOT' || systemCode === 'SQLITE_FULL') {
    return new ExomonadError(
      'DISK_FULL',
      `The disk is full: ${cause.message}. Make room and try again; nothing was lost.`,
      {},
      { cause },
    )
  }
  return new ExomonadError(
    'INTERNAL',
    `Unexpected fault: ${cause.message}. See \`exomonad daemon logs\`.`,
    {},
    { cause },
  )
}

/** Whatever was thrown, as an error. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  try {
    return new Error(String(thrown))
  } catch {
    return new Error('Something was thrown that has no text.')
  }
}
