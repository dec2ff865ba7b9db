import { asExomonadError } from '../../../domain/errors.ts'
import type { Doing, Notify } from './doing.ts'

/** The person’s waits: one for each agent at most, all at once. */
export interface Waits {
  /** `timeout` in seconds. Settles when it is over. */
  wait(agent: string, timeout: number, from: readonly string[]): Promise<void>
  interrupt(agent: string): boolean
  interruptAll(): void
}

export function createWaits({ store, feed, clientFor, now }: Doing, notify: Notify): Waits {
  const running = new Map<string, AbortController>()
  return {
    wait: async (agent, timeout, from) => {
      if (running.has(agent)) return notify(agent, 'A wait runs already; Escape ends it.', 'bad')
      const controller = new AbortController()
      running.set(agent, controller)
      store.dispatch({ type: 'wait-begun', agent, wait: { since: now(), timeout, agents: from } })
      feed.wake()
      try {
        await clientFor(agent).call(
          'wait',
          { timeout, ...(from.length === 0 ? {} : { from_agents: from }) },
          { signal: controller.signal },
        )
        await feed.readScrollback(agent)
      } catch (error) {
        if (controller.signal.aborted)
          notify(agent, 'The wait was interrupted; mail stays in the mailbox.')
        else notify(agent, `✗ ${asExomonadError(error).message}`, 'bad')
      } finally {
        running.delete(agent)
        store.dispatch({ type: 'wait-ended', agent })
        feed.wake()
      }
    },
    interrupt: (agent) => {
      const controller = running.get(agent)
      controller?.abort(new Error('interrupted'))
      return controller !== undefined
    },
    interruptAll: () => {
      for (const controller of running.values()) controller.abort(new Error('left'))
    },
  }
}
