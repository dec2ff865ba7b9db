import type { Notice } from '../../adapters/notify/target.ts'
import type { Store, StoreVerbs } from '../../adapters/store/store.ts'
import type { Clock } from '../../domain/clock.ts'
import type { EventPayload } from '../../events/event.ts'
import type { Publisher } from '../../events/publish.ts'
import type { Log } from '../../runtime/log.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'

/** A target that does not take what it is sent. Times are milliseconds since the epoch. */
export interface NotifyTrouble {
  readonly since: number
  readonly at: number
  /** Messages that it did not take in a row, each tried several times. */
  readonly failures: number
  readonly reason: string
}

/** What is remembered of a target. */
export interface Mark {
  /** Of what waits in the inbox: what it was told of, and what was settled before it was told. */
  readonly done: readonly string[]
  readonly sentAt: number | null
  readonly trouble: NotifyTrouble | null
  /** It is told of nothing that is older. */
  readonly since: number
}

export interface Marks {
  /** `since`: where nothing is remembered yet. */
  read(since: number): Promise<Mark>
  /** With the event of it, which attached terminals show. Ids of the inbox. */
  told(
    kind: EventPayload<'person.notified'>['kind'],
    notice: Notice,
    ids: readonly string[],
  ): Promise<void>
  /** `givenUp`: ids that are not tried again. */
  failed(reason: string, givenUp: readonly string[]): Promise<void>
  settled(ids: readonly string[]): Promise<void>
}

const NEW: Mark = { done: [], sentAt: null, trouble: null, since: 0 }
const keyOf = (name: string): string => `notify:${name}`

const stored = async (
  { snapshots }: Pick<StoreVerbs, 'snapshots'>,
  name: string,
): Promise<Mark | undefined> => {
  const found = await snapshots.get(keyOf(name))
  return found === undefined ? undefined : { ...NEW, ...found }
}

export const troubleOf = async (
  verbs: Pick<StoreVerbs, 'snapshots'>,
  name: string,
): Promise<NotifyTrouble | null> => (await stored(verbs, name))?.trouble ?? null

export function createMarks(
  name: string,
  deps: {
    readonly store: Store
    readonly publisher: Publisher
    readonly gate: TextGate
    readonly clock: Clock
    readonly log: Log
  },
): Marks {
  const { store, publisher, clock, log } = deps

  /** Of messages that wait no longer nothing needs to be known. */
  const change = async (
    tx: StoreVerbs,
    ids: readonly string[],
    patch: (mark: Mark) => Partial<Mark>,
  ): Promise<Mark> => {
    const mark = (await stored(tx, name)) ?? NEW
    const waiting = await tx.outbox.list({ recipient: 'human', states: ['queued'] })
    const isWaiting = new Set<string>(waiting.map(({ id }) => id))
    const done = [...mark.done, ...ids].filter((id) => isWaiting.has(id))
    await tx.snapshots.put(keyOf(name), { ...mark, done, ...patch(mark) })
    return mark
  }

  return {
    read: async (since) => {
      const found = await stored(store, name)
      if (found !== undefined) return found
      const mark = { ...NEW, since }
      await store.snapshots.put(keyOf(name), mark)
      return mark
    },
    told: async (kind, { title, body, items }, ids) => {
      const before = await store.transaction(async (tx) => {
        const mark = await change(tx, ids, ({ sentAt }) => ({
          trouble: null,
          // A test is no message that the next one would have to keep away from.
          sentAt: ids.length === 0 ? sentAt : clock(),
        }))
        const shown = kind === 'terminal' ? body : ''
        await publisher.publish(
          {
            type: 'person.notified',
            agentId: null,
            actor: 'daemon',
            payload: { target: name, kind, count: items.length, title, body: shown },
          },
          tx,
        )
        return mark
      })
      if (before.trouble !== null) log.info({ target: name }, 'notifications are taken again')
    },
    failed: async (said, givenUp) => {
      const reason = deps.gate.text(said)
      const at = clock()
      const before = await store.transaction((tx) =>
        change(tx, givenUp, ({ trouble }) => ({
          trouble: {
            since: trouble?.since ?? at,
            at,
            failures: (trouble?.failures ?? 0) + 1,
            reason,
          },
        })),
      )
      // Once for each time that it begins: doctor says it as long as it lasts.
      if (before.trouble === null || givenUp.length > 0)
        log.warn({ target: name, reason }, 'a notification could not be sent')
    },
    settled: async (ids) => {
      await store.transaction((tx) => change(tx, ids, () => ({})))
    },
  }
}
