import { CodedError, type CodedErrorClass } from './coded-error.ts'

/** The codes of errors that this library throws. */
export type SubagentErrorCode =
  | 'INVALID_ARG'
  | 'AGENT_CLI_MISSING'
  | 'SPAWN_FAILED'
  | 'NOT_AVAILABLE'

/** The only error that this library throws on purpose. */
export type ExomonadError = CodedError<SubagentErrorCode>
export const ExomonadError: CodedErrorClass<SubagentErrorCode> = CodedError

/** Whatever was thrown, as an error. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  try {
    return new Error(String(thrown))
  } catch {
    return new Error('Something was thrown that has no text.')
  }
}
