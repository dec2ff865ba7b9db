import type { Forge } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'

/**
 * An outage of the forge that the human was notified of: what is known of its pull requests is as
 * old. Times are milliseconds since the epoch.
 */
export interface ForgeHealth {
  readonly forge: Forge['kind']
  readonly since: number
  /** A code of docs/reference.md. */
  readonly code: string
  readonly reason: string
  /** When the forge is tried again, as far as it said; null where nobody knows. */
  readonly retryAt: number | null
}

/** A forge that can’t be used: since when (ms since the epoch), and why. */
export interface ForgeAway {
  readonly since: number
  readonly reason: string
}

export const HEALTH_KEY = 'forge:health'

/**
 * The outage that lasts; undefined where the forge could be used when it was last tried, or has
 * failed for moments only.
 */
export const knownForgeHealth = async (
  store: Pick<StoreVerbs, 'snapshots'>,
): Promise<ForgeHealth | undefined> =>
  (await store.snapshots.get(HEALTH_KEY)) as ForgeHealth | undefined
