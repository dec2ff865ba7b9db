import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import { agentVerbs } from './agents.ts'
import { eventVerbs } from './events.ts'
import { mailVerbs } from './mail.ts'
import { outboxVerbs } from './outbox.ts'
import { pullVerbs } from './pulls.ts'
import { recordVerbs } from './records.ts'
import { runVerbs } from './runs.ts'
import { scrollbackVerbs } from './scrollback.ts'
import { transactions } from './transactions.ts'
import { usageVerbs } from './usage.ts'

/** A fresh, empty store, and what a test may do with it beside its verbs. */
export interface OpenedStore {
  readonly store: Store
  /** Closes it and opens the same data again, as after a restart; `store` is then the new one. */
  reopen(): Promise<void>
  dispose(): Promise<void>
}

/**
 * The suite for every implementation of the store. Tests share one store and distinguish their rows
 * by fresh ids, unless they open their own.
 */
export function storeConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let shared: OpenedStore
    beforeAll(async () => {
      shared = await open()
    })
    afterAll(() => shared.dispose())
    const store = (): Store => shared.store

    agentVerbs(store, open)
    eventVerbs(store, open)
    outboxVerbs(store, open)
    mailVerbs(store, open)
    recordVerbs(store, open)
    pullVerbs(open)
    scrollbackVerbs(store, open)
    runVerbs(store, open)
    usageVerbs(open)
    transactions(store, open)
  })
}
