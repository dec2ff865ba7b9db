import { toError } from './errors.ts'

/** Why a signal was aborted, as an error to throw. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error
    ? reason
    : new Error(`The call was ended: ${toError(reason).message}.`)
}

/**
 * Returns the result of `work`, or throws the signal’s reason once that is aborted. `grace`:
 * milliseconds that work which heeds the signal itself has to end in order; what becomes of it
 * after that is nobody’s concern.
 */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  grace = 0,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const giveUp = (): void => aborted.reject(abortReason(signal))
  const abort = (): void => {
    if (grace === 0) giveUp()
    else timer = setTimeout(giveUp, grace)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    clearTimeout(timer)
    work.catch(() => {})
  }
}

/** A signal that follows those that there are. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined))
}
