/** Watches for what ends the console from outside. */
export interface Leaving {
  /** What nobody caught, if that was it. */
  error(): unknown
  stop(): void
}

/**
 * Calls `leave` when the process is asked to end, its terminal goes away, or something fails that
 * nobody caught. `isAway`: another program has the terminal.
 */
export function leaveOn(
  stdin: NodeJS.ReadStream,
  leave: () => void,
  isAway: () => boolean,
): Leaving {
  let thrown: unknown
  const onSignal = (): void => leave()
  // Ctrl-C is a key to the console; as a signal it comes from elsewhere, or is meant for the
  // program that is attached.
  const onInterrupt = (): void => {
    if (!isAway()) leave()
  }
  const onThrown = (error: unknown): void => {
    thrown ??= error
    leave()
  }
  process.on('SIGTERM', onSignal).on('SIGHUP', onSignal).on('SIGINT', onInterrupt)
  process.on('uncaughtException', onThrown).on('unhandledRejection', onThrown)
  stdin.on('end', onSignal).on('error', onSignal)
  return {
    error: () => thrown,
    stop: () => {
      process.off('SIGTERM', onSignal).off('SIGHUP', onSignal).off('SIGINT', onInterrupt)
      process.off('uncaughtException', onThrown).off('unhandledRejection', onThrown)
      stdin.off('end', onSignal).off('error', onSignal)
    },
  }
}
