import type { Notifier } from '../adapters/machine/notify.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Recipient } from '../domain/ids.ts'
import { definitionOf } from '../events/event.ts'
import type { Log } from '../runtime/log.ts'

/** Runs `notify.command` once for each urgent message that reaches the inbox. */
export function createHumanNotice(deps: {
  store: Store
  notify: () => Promise<Notifier>
  log: Log
  since: number
}): (recipients: readonly Recipient[]) => void {
  const notified = new Set<string>()
  return (recipients) => {
    if (!recipients.includes('human')) return
    deps.store.outbox
      .list({ recipient: 'human', states: ['queued'] })
      .then(async (waiting) => {
        const fresh = waiting.filter(
          (delivery) =>
            delivery.createdAt >= deps.since &&
            definitionOf(delivery.kind)?.urgent === true &&
            !notified.has(delivery.id),
        )
        for (const delivery of fresh) notified.add(delivery.id)
        for (const delivery of fresh) await (await deps.notify())(delivery.text)
      })
      .catch((thrown: unknown) => deps.log.warn({ err: thrown }, 'calling the human failed'))
  }
}
