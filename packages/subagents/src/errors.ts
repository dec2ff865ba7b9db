/** The codes of errors that this library throws. */
export type SubagentErrorCode =
  | 'INVALID_ARG'
  | 'AGENT_CLI_MISSING'
  | 'SPAWN_FAILED'
  | 'NOT_AVAILABLE'

/** Facts that go with an error, in its JSON beside `error` and `code`. */
export type ErrorFacts = Record<string, unknown>

/**
 * The only error thrown on purpose. `message` says what happened and what to do. Who builds on the
 * library may throw it with codes of its own.
 */
export class ExomonadError<Code extends string = SubagentErrorCode> extends Error {
  readonly code: Code
  readonly facts: ErrorFacts

  constructor(
    code: NoInfer<Code>,
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
  toJSON(): { error: string; code: Code } & ErrorFacts {
    return { ...this.facts, error: this.message, code: this.code }
  }
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
