import type { MergeResults } from '../../adapters/forge/merge-results.ts'
import type { Config } from '../../config/schema.ts'
import type { BranchName } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'

/**
 * Whether what is merged into a base lands as the commit that was checked here, where a forge
 * elsewhere has the pull requests: the fold is on, nothing protects the base, and it takes merge
 * commits. Only those: a head that is in the base is what such a forge takes for merged.
 */
export type LandsHere = (
  config: Pick<Config, 'fold'>,
  base: BranchName,
  options?: { readonly fresh?: boolean },
) => Promise<boolean>

/** What was read is believed for so long where nothing is decided by it. Milliseconds. */
const BELIEVED = 20_000

export function createLandsHere({
  forge,
  results,
  clock,
}: Pick<Deps, 'forge' | 'clock'> & {
  results: Pick<MergeResults, 'required'> | null
}): LandsHere {
  const asked = new Map<BranchName, { readonly at: number; readonly free: Promise<boolean> }>()

  const isFree = async (base: BranchName): Promise<boolean> => {
    if (forge.pushes === null || !(await forge.pushes.isFree(base))) return false
    const { allowed, queue } = await forge.mergeWays(base)
    return queue !== true && allowed.includes('merge')
  }

  return async ({ fold }, base, { fresh = false } = {}) => {
    if (forge.pushes === null || results === null) return false
    if (!fold.enabled || fold.land === 'forge' || !(await results.required())) return false
    const known = asked.get(base)
    if (!fresh && known !== undefined && Math.abs(clock() - known.at) < BELIEVED) return known.free
    const free = isFree(base)
    asked.set(base, { at: clock(), free })
    return free
  }
}
