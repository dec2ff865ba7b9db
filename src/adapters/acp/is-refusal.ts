import { ERRORS } from '../../domain/error-codes.ts'
import { ExomonadError } from '../../domain/errors.ts'

/** Whether an error says that what was asked for may not be, rather than that it went wrong. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ExomonadError && ERRORS[error.code].status < 500
