/** What a worktree has for itself on this machine, so that what runs in several doesn’t collide. */
export interface Slot {
  /** 0 for the root, from 1 on for others; the smallest that nobody has. */
  readonly slot: number
  /** The first of its ports. */
  readonly portBase: number
}

export const PORTS_PER_SLOT = 20

/** Where they are remembered, by worktree: the store’s snapshots. */
export const SLOTS = 'slots'

interface Snapshots {
  get(key: string): Promise<Readonly<Record<string, unknown>> | undefined>
}

export async function readSlots({
  snapshots,
}: {
  readonly snapshots: Snapshots
}): Promise<ReadonlyMap<string, Slot>> {
  return new Map(Object.entries((await snapshots.get(SLOTS)) ?? {}) as [string, Slot][])
}

/** What programs find of it in their environment. */
export const slotVariables = ({ slot, portBase }: Slot) => ({
  EXOMONAD_SLOT: String(slot),
  EXOMONAD_PORT_BASE: String(portBase),
})
