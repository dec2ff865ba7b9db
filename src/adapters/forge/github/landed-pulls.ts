import type { StoreVerbs } from '../../store/store.ts'
import type { BasePush, LandedPull } from '../merging.ts'
import type { SnapshotResult } from '../forge.ts'

/** Pull requests that were landed by a push, as far as that is remembered here. */
export interface LandedPulls {
  readonly note: BasePush['landed']
  has(number: number): Promise<boolean>
  /**
   * GitHub sees it a while after the push, and names the account that pushed and the newest commit
   * of it: what landed is merged, by whoever asked for it, as that commit. One whose head has moved
   * on since is as GitHub says.
   */
  seen(result: SnapshotResult): Promise<SnapshotResult>
}

const PREFIX = 'pushed-pull:'

export function createLandedPulls({
  store,
  identity,
}: {
  store: Pick<StoreVerbs, 'snapshots'>
  /** Whose numbers they are. */
  identity: () => Promise<string>
}): LandedPulls {
  const read = async (number: number): Promise<LandedPull | undefined> => {
    const found = await store.snapshots.get(`${PREFIX}${number}`)
    return found === undefined || found['forge'] !== (await identity())
      ? undefined
      : (found as unknown as LandedPull)
  }

  return {
    note: async (pulls) => {
      const forge = await identity()
      for (const pull of pulls)
        await store.snapshots.put(`${PREFIX}${pull.number}`, { ...pull, forge })
    },

    has: async (number) => (await read(number)) !== undefined,

    async seen(result) {
      if (!('snapshot' in result)) return result
      const landed = await read(result.number)
      const { mergedByOther: _, scheduled: __, ...snapshot } = result.snapshot
      if (landed === undefined || landed.head !== snapshot.head.sha) return result
      return {
        ...result,
        snapshot: {
          ...snapshot,
          state: 'merged',
          mergeable: 'unknown',
          base: { ...snapshot.base, sha: null },
          blockers: [],
          mergeSha: landed.sha,
          mergedHead: landed.head,
          mergedBy: landed.by,
        },
      }
    },
  }
}
