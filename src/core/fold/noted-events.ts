import type { StoredEvent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/** Up to which event all that follows from them is noted. */
const KEY = 'fold:noted'

/** Those of which something follows. */
const TYPES: readonly string[] = ['pr.merged', 'ci.failed']

export interface NotedEvents {
  /** Those that a daemon before did not come to note; from then on what happens. */
  resume(): Promise<void>
  stop(): void
}

/**
 * Listeners are called after the commit of an event: where the daemon ends in between, nobody was.
 * So it is kept how far what follows from events was noted, and what came after that is noted after
 * the next start. `note` gets one after the other, may get one again, and rejects where nothing was
 * noted: then all from there on is noted again after the next start.
 */
export function createNotedEvents({
  store,
  publisher,
  log,
  note,
}: Pick<Deps, 'store' | 'publisher' | 'log'> & {
  note: (event: StoredEvent) => Promise<void>
}): NotedEvents {
  let tail: Promise<void> = Promise.resolve()
  let isBehind = false

  const take = (event: StoredEvent): Promise<void> =>
    (tail = tail
      .then(() => note(event))
      .then(() => (isBehind ? undefined : store.snapshots.put(KEY, { seq: event.seq })))
      .catch((error: unknown) => {
        isBehind = true
        log.warn({ err: error, event: event.seq }, 'what follows from an event was not noted')
      }))
  const stop = publisher.onEvent((event) => {
    if (TYPES.includes(event.type)) void take(event)
  })

  return {
    resume: async () => {
      const noted = await store.snapshots.get(KEY)
      const last = await store.events.lastSeq()
      if (noted === undefined) return store.snapshots.put(KEY, { seq: last })
      for (const event of await store.events.list({ types: TYPES, after: Number(noted['seq']) }))
        if (event.seq <= last) await take(event)
    },
    stop,
  }
}
