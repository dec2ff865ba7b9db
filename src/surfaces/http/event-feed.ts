import type { EventStore } from '../../adapters/store/store.ts'
import type { StoredEvent } from '../../domain/records.ts'
import type { Publisher } from '../../events/publish.ts'

export type EventQuery = Parameters<EventStore['list']>[0]

export interface EventSource {
  /** All there are. */
  readonly types: readonly string[]
  readonly list: EventStore['list']
  readonly lastSeq: EventStore['lastSeq']
  readonly onEvent: Publisher['onEvent']
}

/** Events read from the store at a time. */
const PAGE = 500

/**
 * Events after a position and then new ones as they come, each once and in order of seq.
 * `undefined` is given after `heartbeat` milliseconds without an event. Ends by the signal.
 *
 * The notice of a new event only wakes the reader; events themselves always come from the store,
 * after the last one given. So nothing is lost between backlog and live, nothing comes twice, and a
 * slow reader holds back its own reading instead of filling memory.
 */
export async function* followEvents(
  source: Pick<EventSource, 'list' | 'onEvent'>,
  query: EventQuery,
  options: { signal: AbortSignal; heartbeat: number },
): AsyncGenerator<StoredEvent | undefined> {
  const { last, ...filter } = query
  let announced = 0
  let wake = (): void => {}
  const stop = source.onEvent((event) => {
    announced = Math.max(announced, event.seq)
    wake()
  })
  const abort = (): void => wake()
  options.signal.addEventListener('abort', abort, { once: true })
  try {
    let after = query.after ?? 0
    if (last !== undefined) {
      for (const event of await source.list(last === 0 ? { ...filter, last: 1 } : query)) {
        after = Math.max(after, event.seq)
        if (last > 0) yield event
      }
    }
    while (!options.signal.aborted) {
      const known = announced
      const page = await source.list({ ...filter, after, limit: PAGE })
      for (const event of page) {
        if (options.signal.aborted) return
        yield event
        after = event.seq
      }
      if (page.length === PAGE) continue
      // All up to `known` was committed before the read, so what the filter left out need not be
      // read again.
      after = Math.max(after, known)
      if (announced > known || options.signal.aborted) continue
      const woken = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), options.heartbeat)
        wake = () => {
          clearTimeout(timer)
          resolve(true)
        }
      })
      wake = () => {}
      if (!woken && !options.signal.aborted) yield undefined
    }
  } finally {
    stop()
    options.signal.removeEventListener('abort', abort)
  }
}
