import {
  CodedError,
  type CodedErrorClass,
  type ErrorFacts,
} from '../../packages/subagents/src/coded-error.ts'
import { toError } from '../../packages/subagents/src/errors.ts'
import type { ErrorCode } from './error-codes.ts'

export { toError, type ErrorFacts }

/** The only error exomonad throws on purpose: the library’s, with a code of the table. */
export type ExomonadError = CodedError<ErrorCode>
export const ExomonadError: CodedErrorClass<ErrorCode> = CodedError

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
