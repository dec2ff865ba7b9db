import type { AgentId } from '../../domain/ids.ts'
import type { Store } from '../../adapters/store/store.ts'

/** When each path was first seen to be touched by an agent, as it is stored by agent. */
type Seen = Readonly<Record<string, number>>

export const SEEN_PREFIX = 'radar-seen:'
/** Paths of one agent; whoever touches more is not asked who was first. */
const MOST = 2_000

export interface FirstTouch {
  /** What an agent touches now, as it was found in the look that began at `at`. */
  note(agent: AgentId, paths: readonly string[], at: number): Promise<void>
  /** Which of the two touched a path first; undefined where both were found at once. */
  firstOf(path: string, one: AgentId, other: AgentId): Promise<AgentId | undefined>
  /** Of all others nothing is kept. */
  keepOnly(agents: ReadonlySet<string>): Promise<void>
}

export function createFirstTouch({ store }: { store: Pick<Store, 'snapshots'> }): FirstTouch {
  const known = new Map<AgentId, Seen>()
  /** Of whom something is stored. */
  let stored: Set<AgentId> | undefined
  const read = async (agent: AgentId): Promise<Seen> => {
    const seen =
      known.get(agent) ??
      ((await store.snapshots.get(`${SEEN_PREFIX}${agent}`)) as Seen | undefined)
    known.set(agent, seen ?? {})
    return seen ?? {}
  }
  return {
    note: async (agent, paths, at) => {
      const before = await read(agent)
      const kept = paths.slice(0, MOST)
      const isSame =
        kept.length === Object.keys(before).length &&
        kept.every((path) => Object.hasOwn(before, path))
      if (isSame) return
      const now = Object.fromEntries(kept.map((path) => [path, before[path] ?? at]))
      known.set(agent, now)
      stored?.add(agent)
      await store.snapshots.put(`${SEEN_PREFIX}${agent}`, now)
    },
    firstOf: async (path, one, other) => {
      const [mine, theirs] = [(await read(one))[path], (await read(other))[path]]
      if (mine === undefined || theirs === undefined || mine === theirs) return undefined
      return mine < theirs ? one : other
    },
    keepOnly: async (agents) => {
      stored ??= new Set(
        [...(await store.snapshots.list(SEEN_PREFIX)).keys()].map(
          (key) => key.slice(SEEN_PREFIX.length) as AgentId,
        ),
      )
      for (const agent of [...stored, ...known.keys()]) {
        if (agents.has(agent)) continue
        known.delete(agent)
        if (stored.delete(agent)) await store.snapshots.remove(`${SEEN_PREFIX}${agent}`)
      }
    },
  }
}
