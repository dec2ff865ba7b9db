import type { CliContext } from './context.ts'

/** Runs work with a signal that Ctrl-C aborts. */
export async function interruptible<Result>(
  context: CliContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const unsubscribe = context.onInterrupt(() => controller.abort(new Error('interrupted')))
  try {
    return await work(controller.signal)
  } finally {
    unsubscribe()
  }
}
