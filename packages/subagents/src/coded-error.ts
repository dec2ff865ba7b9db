/** Facts that go with an error, in its JSON beside `error` and `code`. */
export type ErrorFacts = Record<string, unknown>

/**
 * An error that is thrown on purpose, with one of several codes. `message` says what happened and
 * what to do.
 */
export class CodedError<Code extends string> extends Error {
  /** In stacks and logs, whatever its codes. */
  static override readonly name = 'ExomonadError'
  readonly code: Code
  readonly facts: ErrorFacts

  constructor(code: Code, message: string, facts: ErrorFacts = {}, options?: { cause?: unknown }) {
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

/** That class for those who throw these codes: `instanceof` narrows to them. */
export interface CodedErrorClass<Code extends string> {
  new (
    code: Code,
    message: string,
    facts?: ErrorFacts,
    options?: { cause?: unknown },
  ): CodedError<Code>
  readonly prototype: CodedError<Code>
}
