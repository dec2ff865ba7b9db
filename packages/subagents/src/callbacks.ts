import process from 'node:process'
import { toError } from './errors.ts'

type Args<Callback> = Callback extends (...args: infer Given) => unknown ? Given : never

/**
 * Calls callbacks that only receive reports: what one throws, at once or in a promise, changes
 * nothing of what is reported. It is said once for each of them, as a warning of the process:
 * on standard error, unless the program listens for `warning`.
 */
export function guardCallbacks<Callbacks extends object>(callbacks: Callbacks) {
  const failed = new Set<keyof Callbacks>()
  const warn = (name: keyof Callbacks, thrown: unknown): void => {
    if (failed.has(name)) return
    failed.add(name)
    const { message, stack = '' } = toError(thrown)
    process.emitWarning(
      `The callback ${String(name)} failed; what it reports on goes on: ${message}`,
      { type: 'CallbackWarning', detail: stack },
    )
  }
  return <Name extends keyof Callbacks>(
    name: Name,
    ...args: Args<NonNullable<Callbacks[Name]>>
  ): void => {
    try {
      const callback = callbacks[name] as
        | ((...args: unknown[]) => PromiseLike<unknown> | null | undefined)
        | undefined
      const answer = callback?.call(callbacks, ...args)
      if (typeof answer?.then === 'function')
        answer.then(undefined, (thrown: unknown) => warn(name, thrown))
    } catch (thrown) {
      warn(name, thrown)
    }
  }
}
