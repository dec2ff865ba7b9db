import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Messages, Urgency } from './message-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'

/**
 * Notes of one agent reach its parent one by one up to a limit: an agent in a loop must not begin a
 * turn of its parent’s with each. What is more than that becomes one note when there is room again,
 * with how many they were and what the last said.
 */
export interface Notes {
  readonly note: Messages['note']
  /** Sends what was kept back, where there is room for it. */
  flush(): Promise<void>
}

/** So many in so many milliseconds. */
export const MOST_NOTES = 60
const WINDOW = 60_000

/** The key under which it stands what is kept back: how many, and the last. */
const PREFIX = 'notes:'
interface KeptBack extends Record<string, unknown> {
  readonly count: number
  /** Of all of them. */
  readonly urgency?: 'info'
  readonly last: string
}

export function createNotes({
  store,
  publisher,
  clock,
}: Pick<Deps, 'store' | 'publisher' | 'clock'>): Notes {
  const hasRoom = async (tx: StoreTransaction, agentId: AgentId): Promise<boolean> => {
    const recent = await tx.events.list({
      types: ['note'],
      agentId,
      since: clock() - WINDOW,
      last: MOST_NOTES,
    })
    return recent.length < MOST_NOTES
  }

  const publish = async (
    tx: StoreTransaction,
    agentId: AgentId,
    message: string,
    urgency: Urgency,
  ): Promise<void> => {
    const name = (await tx.agents.get(agentId))?.name ?? agentId
    await publisher.publish(
      {
        ...{ type: 'note', agentId, actor: agentId },
        payload: { name, message, ...(urgency !== undefined && { urgency }) },
      },
      tx,
    )
  }

  const flushOf = async (tx: StoreTransaction, key: string): Promise<void> => {
    const agentId = key.slice(PREFIX.length) as AgentId
    const kept = (await tx.snapshots.get(key)) as KeptBack | undefined
    if (kept === undefined || !(await hasRoom(tx, agentId))) return
    await tx.snapshots.remove(key)
    const words =
      kept.count === 1
        ? ''
        : `(${kept.count} notes, more than ${MOST_NOTES} a minute, as one; the last:) `
    await publish(tx, agentId, `${words}${kept.last}`, kept.urgency)
  }

  const sendOrKeep = async (
    tx: StoreTransaction,
    { agent }: Caller,
    message: string,
    urgency: Urgency,
  ): Promise<void> => {
    const key = `${PREFIX}${agent.id}`
    await flushOf(tx, key)
    const kept = (await tx.snapshots.get(key)) as KeptBack | undefined
    if (kept === undefined && (await hasRoom(tx, agent.id)))
      await publish(tx, agent.id, message, urgency)
    else
      await tx.snapshots.put(key, {
        count: (kept?.count ?? 0) + 1,
        last: message,
        ...(urgency === 'info' && (kept === undefined || kept.urgency === 'info') && { urgency }),
      } satisfies KeptBack)
  }

  return {
    note: async (caller, message, options = {}) => {
      await store.transaction(async (tx) => {
        if (options.stopReason === true)
          await tx.agents.update(caller.agent.id, { stopReason: message })
        await sendOrKeep(tx, caller, message, options.urgency)
        await options.once?.mark(tx, { status: 'sent' })
      })
      return { status: 'sent' }
    },

    flush: async () => {
      for (const key of await store.snapshots.keys(PREFIX))
        await store.transaction((tx) => flushOf(tx, key))
    },
  }
}
