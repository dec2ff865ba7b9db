import type { Limits } from '../../adapters/limits/limits.ts'
import type { Store } from '../../adapters/store/store.ts'
import type { Config } from '../../config/schema.ts'
import { boundsOf, widestBounds } from '../../core/limits/configured-bounds.ts'
import { newAgentId, type AgentId } from '../../domain/ids.ts'
import { boundText, type Bounds } from '../../domain/formats/resource-limits.ts'

/** What one check is started behind, and what is to be done when it has ended. */
export interface HeldCheck {
  readonly argv: readonly string[]
  /** Lets go of it, whatever it left running; returns by which limit it was ended or refused, in a sentence. */
  ended(): Promise<string | null>
}

/** `pull`: whose head is checked; null for what was made of several. LIMITS_UNAVAILABLE. */
export type HoldCheck = (pull: number | null) => Promise<HeldCheck>

const NOT_HELD: HeldCheck = { argv: [], ended: async () => null }

/**
 * Holds checks of the local forge to limits as well: they execute what agents wrote. One of a pull
 * request has those of the agent whose branch it is; one of several the widest that any role or
 * program has. `limits` for everybody else, who must not take a check for an agent that is gone.
 */
export function createHoldChecks({
  limits,
  store,
  config,
}: {
  limits: Limits
  store: Pick<Store, 'agents' | 'pulls'>
  config: () => Config
}): { holdCheck: HoldCheck; limits: Limits } {
  const running = new Set<AgentId>()

  const wanted = async (pull: number | null): Promise<Bounds> => {
    const widest = widestBounds(config())
    if (Object.keys(widest).length === 0) return widest
    const branch = pull === null ? undefined : (await store.pulls.get(pull))?.headBranch
    const owner =
      branch === undefined
        ? undefined
        : (await store.agents.list()).find((agent) => agent.ownsWorktree && agent.branch === branch)
    return owner === undefined ? widest : boundsOf(config(), owner)
  }

  return {
    limits: {
      ...limits,
      list: async () => (await limits.list()).filter((id) => !running.has(id)),
    },
    holdCheck: async (pull) => {
      const bounds = await wanted(pull)
      if (Object.keys(bounds).length === 0) return NOT_HELD
      const id = newAgentId()
      running.add(id)
      const forget = async (): Promise<void> => {
        running.delete(id)
        await limits.release(id, { kill: true })
      }
      try {
        const { argv } = await limits.hold(id, bounds)
        return {
          argv,
          ended: async () => {
            const counts = (await limits.met(id))?.counts ?? {}
            await forget()
            const met = (['memory', 'processes'] as const).find((one) => (counts[one] ?? 0) > 0)
            const bound = met === undefined ? undefined : bounds[met]
            return met === undefined || bound === undefined
              ? null
              : `it met the ${boundText(met, bound.value)} (${bound.key} in the configuration raises it)`
          },
        }
      } catch (thrown) {
        await forget()
        throw thrown
      }
    },
  }
}
