import { ExomonadError } from '../../domain/errors.ts'
import type { Forge } from './forge.ts'
import type { MergeResult } from './merging.ts'

type Settled = Awaited<ReturnType<Forge['settleMerge']>>

/**
 * After a crash: what became of a merge that was asked of a forge elsewhere, by a fresh look at the
 * pull request. `isOthers`: an account that is not exomonad’s has merged it; with the same one
 * that can’t be determined. `whileOpen`: what else is known of one that is open still. `pushed`:
 * whether it reached the base by a push of exomonad’s, which the forge may not have seen yet.
 */
export async function settleByLook<Pull>({
  look,
  stateOf,
  isOthers,
  mergedAs,
  whileOpen,
  pushed,
}: {
  look: () => Promise<Pull>
  stateOf: (pull: Pull) => 'open' | 'merged' | 'closed'
  isOthers: (pull: Pull) => Promise<boolean>
  mergedAs: (pull: Pull) => MergeResult
  whileOpen?: (pull: Pull) => Promise<MergeResult | null>
  pushed?: () => Promise<MergeResult | null>
}): Promise<Settled> {
  try {
    const landed = (await pushed?.()) ?? null
    if (landed !== null) return landed
    const pull = await look()
    const state = stateOf(pull)
    if (state === 'open') return (await whileOpen?.(pull)) ?? { kind: 'not_merged' }
    return state === 'closed' || (await isOthers(pull))
      ? { kind: 'not_open', state }
      : mergedAs(pull)
  } catch (error) {
    if (
      !(error instanceof ExomonadError) ||
      (error.code !== 'FORGE_UNAVAILABLE' && error.code !== 'FORGE_DENIED')
    )
      throw error
    return { kind: 'unknown', reason: error.message }
  }
}
