import type { RestAnswer } from '../client/client.ts'
import { wordsOf } from '../client/failure.ts'
import { ExomonadError } from '../../../../domain/errors.ts'

/** GitHub’s reasons for not doing what it was asked, with the fields that they are about. */
export interface Refusal {
  /** All reasons in one line. */
  readonly words: string
  /** Whether a field of that name is said to be wrong. */
  readonly isAbout: (field: string) => boolean
}

export function refusalIn({ data, status }: Pick<RestAnswer<unknown>, 'data' | 'status'>): Refusal {
  const errors = (data as { errors?: unknown } | null)?.errors
  const fields = Array.isArray(errors)
    ? errors.map(
        (error: { field?: unknown } | string | null) =>
          (error as { field?: unknown } | null)?.field,
      )
    : []
  return { words: wordsOf(data) || `status ${status}`, isAbout: (field) => fields.includes(field) }
}

/**
 * Whether an error leaves open if what was asked for has happened: the answer was lost, or never
 * given. A limit stands before what is asked.
 */
export const isLost = (error: unknown): error is ExomonadError =>
  error instanceof ExomonadError &&
  error.code === 'FORGE_UNAVAILABLE' &&
  (error.facts['retry_at'] === undefined || Number(error.facts['status']) >= 500)
