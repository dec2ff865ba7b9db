import type { StoreTransaction } from '../adapters/store/store.ts'
import type { StoredEvent } from '../domain/records.ts'
import type { NewEvent } from './event.ts'

/**
 * Stores an event together with the deliveries the router makes of it, in one transaction: the
 * caller’s, or one of its own. After the commit the outbox is woken and the listeners (event
 * stream, notifier) are called.
 */
export interface Publisher {
  /** Undefined where the dedupe key was known: nothing was stored or routed. */
  publish(event: NewEvent, tx?: StoreTransaction): Promise<StoredEvent | undefined>
  /** Called after the commit, in order of seq. Returns how to stop. */
  onEvent(listener: (event: StoredEvent) => void): () => void
}
