import type { Log } from '../../runtime/log.ts'

export interface Hints {
  readonly emit: (number: number) => void
  readonly subscribe: (listener: (number: number) => void) => () => void
}

export function createHints(log: Log): Hints {
  const listeners = new Set<(number: number) => void>()
  return {
    emit(number) {
      for (const listener of listeners) {
        try {
          listener(number)
        } catch (error) {
          log.error({ err: error, number }, 'a listener for pull requests failed')
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
