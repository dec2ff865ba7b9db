import { setTimeout as delay } from 'node:timers/promises'
import { asExomonadError } from '../../domain/errors.ts'
import type { BranchName } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { knownForgeHealth, type ForgeAway } from './forge-health.ts'

/**
 * Whether the forge can be asked, for whoever must not wait long for it. The local forge always
 * can.
 */
export interface ForgeWatch {
  /** It is known to be away, since when and why. Nothing is asked. */
  away(): Promise<ForgeAway | undefined>
  /**
   * Beside work that asks the forge and its remote: resolves once the forge is found not to answer,
   * within seconds of its silence; never while it does, however long the work takes, nor after
   * `signal`.
   */
  silence(branch: BranchName, signal: AbortSignal): Promise<ForgeAway>
}

/**
 * `slow`: work that takes longer may be waiting for a forge that does not answer; `answer`: an
 * answer to a short question takes less. Milliseconds.
 */
const WAITS = { slow: 3_000, answer: 4_000 }

export function createForgeWatch(
  { forge, polling, store, clock }: Pick<Deps, 'forge' | 'polling' | 'store' | 'clock'>,
  { slow, answer }: typeof WAITS = WAITS,
): ForgeWatch {
  const away: ForgeWatch['away'] = async () => {
    if (forge.kind === 'local') return undefined
    const known = polling.away?.()
    if (known !== undefined) return known
    // Reported before a restart, and not over since.
    const health = await knownForgeHealth(store)
    return health === undefined || health.forge !== forge.kind || health.retryAt !== null
      ? undefined
      : { since: health.since, reason: health.reason }
  }

  /**
   * Why it does not answer now; undefined where it does. A limit that is used up is an answer: git
   * needs none.
   */
  const probe = async (branch: BranchName, signal: AbortSignal): Promise<string | undefined> => {
    const answered = forge.find({ state: 'open', heads: [branch] }).then(
      () => undefined,
      (thrown: unknown) => {
        const { code, message, facts } = asExomonadError(thrown)
        return (code === 'FORGE_UNAVAILABLE' || code === 'FORGE_DENIED') &&
          facts['retry_at'] === undefined
          ? message
          : undefined
      },
    )
    return Promise.race([
      answered,
      delay(answer, `it did not answer within ${answer / 1000} s`, { signal }),
    ])
  }

  return {
    away,
    silence: async (branch, signal) => {
      const never = new Promise<ForgeAway>(() => {})
      if (forge.kind === 'local') return never
      try {
        for (;;) {
          await delay(slow, undefined, { signal })
          const since = clock()
          const reason = (await away())?.reason ?? (await probe(branch, signal))
          if (reason !== undefined) return (await away()) ?? { since, reason }
        }
      } catch (thrown) {
        if (signal.aborted) return never
        throw thrown
      }
    },
  }
}
