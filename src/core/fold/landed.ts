import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'

/** What has landed since the last report, by the actor to whom it is to be reported. */
type Landed = Record<string, readonly { readonly number: number; readonly title: string }[]>

const PREFIX = 'landed:'
const keyOf = (base: string): string => `${PREFIX}${base}`

/** To be reported with all else that this asker waits for on the base. */
export async function noteLanded(
  tx: Pick<StoreVerbs, 'snapshots'>,
  base: string,
  by: string,
  pull: { readonly number: number; readonly title: string },
): Promise<void> {
  const landed = ((await tx.snapshots.get(keyOf(base))) ?? {}) as Landed
  const others = (landed[by] ?? []).filter(({ number }) => number !== pull.number)
  await tx.snapshots.put(keyOf(base), { ...landed, [by]: [...others, pull] })
}

/** Bases of which something is still to be reported. */
export const unreportedBases = async ({ store }: Pick<Deps, 'store'>): Promise<string[]> =>
  (await store.snapshots.keys(PREFIX)).map((key) => key.slice(PREFIX.length))

/**
 * All that was asked for has landed, or was reported: each asker is notified once, of all of it.
 */
export async function reportLanded(
  { store, publisher }: Pick<Deps, 'store' | 'publisher'>,
  base: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const landed = (await tx.snapshots.get(keyOf(base))) as Landed | undefined
    if (landed === undefined) return
    await tx.snapshots.remove(keyOf(base))
    for (const [by, pulls] of Object.entries(landed)) {
      const agentId = by === 'human' ? null : ((await tx.agents.get(by as AgentId))?.id ?? null)
      await publisher.publish(
        {
          type: 'landing.done',
          agentId,
          actor: 'daemon',
          payload: { branch: base, landed: [...pulls] },
        },
        tx,
      )
    }
  })
}
