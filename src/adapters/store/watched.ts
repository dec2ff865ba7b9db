import type { Agent, NewStoredEvent } from '../../domain/records.ts'
import type { Store, StoreVerbs } from './store.ts'

/** Something that a verb wrote, or may have written: of a transaction that failed nobody knows. */
export interface Touch {
  readonly table: keyof StoreVerbs
  /** The verb. */
  readonly verb: string
  /** Of agents their id, of snapshots their key, of events the agent they are about; else null. */
  readonly key: string | null
}

export interface Touches {
  /**
   * Called once what was written can be read, before anybody is told of its events. Returns how to
   * stop.
   */
  onTouch(listener: (touches: readonly Touch[]) => void): () => void
}

const none = (): null => null
const first = (key: string): string => key

/** Every verb that writes, and what key it has. All others read. */
export const WRITING: {
  readonly [Table in keyof StoreVerbs]: Readonly<
    Record<string, (...given: never[]) => string | null>
  >
} = {
  agents: { insert: ({ id }: Agent) => id, update: first, remove: first },
  events: { append: ({ agentId }: NewStoredEvent) => agentId, prune: none },
  outbox: {
    ...{ enqueue: none, claim: none, handed: none, settle: none, withdraw: none },
    ...{ requeue: none, reroute: none, prune: none },
  },
  mail: { send: none, pop: none, giveBack: none, confirm: none },
  questions: { insert: none, answer: none, claim: none, confirm: none, giveBack: none },
  journal: { begin: none, step: none, finish: none },
  approvals: { insert: none, decide: none },
  deadlines: { set: none, remove: none, removePrefix: none },
  snapshots: { put: first, remove: first },
  pulls: {
    ...{ insert: none, update: none, addReview: none, resolveThread: none },
    ...{ insertCheck: none, updateCheck: none },
  },
  scrollback: { append: none },
  runs: { insert: none, finish: none, reopen: none, remove: none },
  usage: { add: none, prune: none },
}

/**
 * The store, and word of what is written to it, for whoever keeps what they read. It is this
 * process alone that writes (the repository is claimed), so that nothing is missed.
 */
export function watchStore(store: Store): { readonly store: Store; readonly touches: Touches } {
  const listeners = new Set<(touches: readonly Touch[]) => void>()
  const tell = (touches: readonly Touch[]): void => {
    if (touches.length > 0) for (const listener of [...listeners]) listener(touches)
  }
  return {
    touches: {
      onTouch: (listener) => {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
    },
    store: {
      ...store,
      ...watched(store, (touch, write) => write().finally(() => tell([touch]))),
      transaction: async (work) => {
        let found: Touch[] = []
        const tellAll = (): void => tell(found.splice(0))
        try {
          return await store.transaction((tx) => {
            found = []
            const verbs = watched(tx, (touch, write) => {
              // The first to ask is called first: before those who tell clients.
              if (found.length === 0) tx.afterCommit(tellAll)
              found.push(touch)
              return write()
            })
            return work({ ...verbs, afterCommit: tx.afterCommit })
          })
        } finally {
          tellAll()
        }
      },
    },
  }
}

type Verb = (...given: unknown[]) => Promise<unknown>

function watched(
  verbs: StoreVerbs,
  around: (touch: Touch, write: () => Promise<unknown>) => Promise<unknown>,
): StoreVerbs {
  const tables = Object.entries(WRITING).map(([name, keys]) => {
    const table = name as keyof StoreVerbs
    const own = verbs[table] as unknown as Readonly<Record<string, Verb>>
    const all = Object.entries(own).map(([verb, run]): [string, Verb] => {
      const keyOf = keys[verb] as ((...given: unknown[]) => string | null) | undefined
      return keyOf === undefined
        ? [verb, run]
        : [verb, (...given) => around({ table, verb, key: keyOf(...given) }, () => run(...given))]
    })
    return [table, Object.fromEntries(all)]
  })
  return Object.fromEntries(tables) as StoreVerbs
}
