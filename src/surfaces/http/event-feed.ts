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
 * `undefined` is given after `heartbeat` milliseconds without one, however many others there are.
 * `visible` leaves out more than the query does. Ends by the signal.
 *
 * The notice of a new event only wakes the reader; events themselves always come from the store,
 * after the last one given. So nothing is lost between backlog and live, nothing comes twice, and a
 * slow reader holds back its own reading instead of filling memory.
 */
export async function* followEvents(
  source: Pick<EventSource, 'list' | 'onEvent'>,
  query: EventQuery,
  options: {
    signal: AbortSignal
    heartbeat: number
    visible?: (event: StoredEvent) => Promise<boolean>
  },
): AsyncGenerator<StoredEvent | undefined> {
  const { last, ...filter } = query
  let announced = 0
  let wake = (): void => {}
  const stop = source.onEvent((event) => {
    announced = Math.max(announced, event.seq)
    wake()
  })
  const abort = (): void => wake()
  const visible = options.visible ?? (() => Promise.resolve(true))
  let silentAt = performance.now() + options.heartbeat
  const said = (): void => {
    silentAt = performance.now() + options.heartbeat
  }
  options.signal.addEventListener('abort', abort, { once: true })
  try {
    let after = query.after ?? 0
    if (last !== undefined) {
      for (const event of await source.list(last === 0 ? { ...filter, last: 1 } : query)) {
        after = Math.max(after, event.seq)
        if (last > 0 && (await visible(event))) yield event
      }
    }
    while (!options.signal.aborted) {
      const known = announced
      const page = await source.list({ ...filter, after, limit: PAGE })
      for (const event of page) {
        if (options.signal.aborted) return
        if (await visible(event)) {
          yield event
          said()
        }
        after = event.seq
      }
      if (performance.now() >= silentAt) {
        yield undefined
        said()
      }
      if (page.length === PAGE) continue
      // All up to `known` was committed before the read, so what the filter left out need not be
      // read again.
      after = Math.max(after, known)
      if (announced > known || options.signal.aborted) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, silentAt - performance.now()))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wake = () => {}
    }
  } finally {
    stop()
    options.signal.removeEventListener('abort', abort)
  }
}
