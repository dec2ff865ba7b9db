import type { StoreVerbs } from '../../../adapters/store/store.ts'
import type { Agent } from '../../../domain/records.ts'
import { PORTS_PER_SLOT, readSlots, SLOTS, type Slot } from '../../../domain/slots.ts'
import type { Deps } from '../../deps.ts'

/** Of ports below those that systems give out themselves: 500 blocks. */
const FIRST_PORT = 20_000
const BLOCKS = 500

/** What is an agent’s own beside its worktree: a small number, and ports. */
export interface Slots {
  /**
   * Of its worktree, kept as long as that is there: the smallest number that nobody has, and a block
   * of ports of which none is in use when it is given out. Those who share a worktree share it. The
   * root has 0.
   */
  of(agent: Pick<Agent, 'kind' | 'worktree'>): Promise<Slot>
}

export function createSlots({
  store,
  portsFree,
  firstBlock,
}: Pick<Deps, 'store'> & {
  /** Whether nobody listens on any of so many ports. */
  portsFree: (first: number, count: number) => Promise<boolean>
  /** Where this repository begins to count, so that several on a machine seldom meet. */
  firstBlock: number
}): Slots {
  /** Blocks that somebody else was found to use. */
  const inUse = new Set<number>()

  const taken = async (tx: StoreVerbs): Promise<Map<string, Slot>> => {
    const worktrees = new Set(
      (await tx.agents.list())
        .filter(({ kind, cleanedAt }) => kind === 'root' || cleanedAt === null)
        .map(({ worktree }) => worktree),
    )
    return new Map([...(await readSlots(tx))].filter(([worktree]) => worktrees.has(worktree)))
  }

  const choose = (slots: ReadonlyMap<string, Slot>, isRoot: boolean): Slot => {
    const others = [...slots.values()]
    let slot = 0
    if (!isRoot) for (slot = 1; others.some((other) => other.slot === slot); slot++);
    for (let step = 0; step < BLOCKS; step++) {
      const block = (firstBlock + slot + step) % BLOCKS
      const portBase = FIRST_PORT + block * PORTS_PER_SLOT
      if (!inUse.has(portBase) && others.every((other) => other.portBase !== portBase))
        return { slot, portBase }
    }
    // All were in use once: better one that may be again than none.
    inUse.clear()
    return { slot, portBase: FIRST_PORT + ((firstBlock + slot) % BLOCKS) * PORTS_PER_SLOT }
  }

  return {
    of: async ({ kind, worktree }) => {
      const known = (await readSlots(store)).get(worktree)
      if (known !== undefined) return known
      for (let tries = 0; ; tries++) {
        const { slot, isNew } = await store.transaction(async (tx) => {
          const slots = await taken(tx)
          const found = slots.get(worktree)
          if (found !== undefined && !inUse.has(found.portBase))
            return { slot: found, isNew: false }
          slots.delete(worktree)
          const chosen = choose(slots, kind === 'root')
          slots.set(worktree, chosen)
          await tx.snapshots.put(SLOTS, Object.fromEntries(slots))
          return { slot: chosen, isNew: true }
        })
        if (!isNew || tries >= BLOCKS || (await portsFree(slot.portBase, PORTS_PER_SLOT)))
          return slot
        inUse.add(slot.portBase)
      }
    },
  }
}
