import type { Forge } from '../adapters/forge/forge.ts'
import { FORGE_NAMES } from '../domain/forge-kinds.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Clock } from '../domain/clock.ts'
import {
  knownForgeHealth,
  HEALTH_KEY,
  type ForgeAway,
  type ForgeHealth,
} from '../core/pulls/forge-health.ts'
import { asExomonadError } from '../domain/errors.ts'
import type { Log } from '../runtime/log.ts'
import type { Publisher } from '../events/publish.ts'

/**
 * Whether the forge can be used at all. The human is notified once when it can’t for longer than a
 * moment, and once when it can again.
 */
export interface HealthWatch {
  /**
   * A call failed as a whole. Backs off: 1 s, doubling to 5 minutes, or until when the forge said.
   */
  failed(error: unknown): Promise<void>
  /**
   * A call was answered. Returns for how long none was (milliseconds); 0 where that was a moment.
   */
  works(): Promise<number>
  /** Until then (steady clock) nothing is tried without being asked to. */
  heldUntil(): number
  /** The last call failed. */
  inDoubt(): boolean
  /** All calls have failed for more than a moment, and it did not say until when. */
  away(): ForgeAway | undefined
  /** After a start: what the forge asked for before holds on. */
  resume(): Promise<void>
  /** Tries again at once. */
  forget(): void
}

const FIRST_HOLD = 1_000
const LONGEST_HOLD = 300_000
/** The forge’s limits are reset every hour; a time further away was given by another clock. */
const LONGEST_PROMISE = 3_900_000
/** An outage that is shorter than this is nobody’s business. Milliseconds. */
const BLIP = 30_000
/** A forge that has failed for so long, each time, is away. Milliseconds. */
const AWAY = 5_000

export function createForgeHealth(deps: {
  readonly forge: Pick<Forge, 'kind'>
  readonly store: Store
  readonly publisher: Publisher
  readonly clock: Clock
  readonly log: Log
  /** The steady clock. */
  readonly now: () => number
}): HealthWatch {
  const { store, publisher, clock, log, now } = deps
  const forge = FORGE_NAMES[deps.forge.kind]
  const key = (what: string, since: number): string => `forge:${deps.forge.kind}:${what}:${since}`
  /** Since when it fails: by the wall clock, and by the steady one. */
  let failing: {
    readonly since: number
    readonly steady: number
    readonly reason: string
    readonly promised: boolean
  } | null = null
  let hold = 0
  let held = -Infinity

  /**
   * An outage that the human was notified of ends without a word where another forge is used now.
   */
  const known = async (): Promise<ForgeHealth | undefined> => {
    const health = await knownForgeHealth(store)
    if (health === undefined || health.forge === deps.forge.kind) return health
    await store.snapshots.remove(HEALTH_KEY)
    return undefined
  }

  const publishOutage = async (health: ForgeHealth): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.snapshots.put(HEALTH_KEY, { ...health })
      const { since, code, reason, retryAt } = health
      const payload = {
        forge,
        reason,
        code,
        retry_at: retryAt === null ? null : new Date(retryAt).toISOString(),
      }
      await publisher.publish(
        {
          type: 'forge.trouble',
          agentId: null,
          actor: 'daemon',
          payload,
          dedupeKey: key(`trouble:${code}`, since),
        },
        tx,
      )
    })
  }

  return {
    heldUntil: () => held,
    inDoubt: () => failing !== null,
    away: () =>
      failing === null || failing.promised || now() - failing.steady < AWAY
        ? undefined
        : { since: failing.since, reason: failing.reason },
    resume: async () => {
      const left = ((await known())?.retryAt ?? 0) - clock()
      if (left > 0) held = now() + Math.min(left, LONGEST_PROMISE)
    },
    forget: () => {
      hold = 0
      held = -Infinity
    },

    failed: async (thrown) => {
      const { code, message, facts } = asExomonadError(thrown)
      log.warn({ err: thrown }, 'the forge could not be read; it is tried again')
      const retryAt = typeof facts['retry_at'] === 'number' ? facts['retry_at'] : null
      const { since, steady } = failing ?? { since: clock(), steady: now() }
      failing = { since, steady, reason: message, promised: retryAt !== null }
      // Somebody asked in between: that is no reason to wait longer.
      if (now() >= held) hold = Math.min(hold * 2 || FIRST_HOLD, LONGEST_HOLD)
      const wait =
        retryAt === null ? hold : Math.min(Math.max(retryAt - clock(), FIRST_HOLD), LONGEST_PROMISE)
      held = retryAt === null ? Math.max(held, now() + wait) : now() + wait
      const reported = await known()
      const health = {
        forge: deps.forge.kind,
        since: reported?.since ?? since,
        code,
        reason: message,
        retryAt,
      }
      const denied = code === 'FORGE_DENIED'
      const lasts = now() - steady >= BLIP || (retryAt !== null && wait >= BLIP)
      // What needs a person is reported at once, also where something that passes was reported
      // before.
      if (reported === undefined ? denied || lasts : denied && reported.code !== code)
        await publishOutage(health)
      else if (reported !== undefined) await store.snapshots.put(HEALTH_KEY, { ...health })
    },

    works: async () => {
      const lasted = failing === null ? 0 : now() - failing.steady
      failing = null
      hold = 0
      held = -Infinity
      const reported = await known()
      if (reported === undefined) return lasted < BLIP ? 0 : lasted
      const outage = Math.max(clock() - reported.since, 0)
      await store.transaction(async (tx) => {
        await tx.snapshots.remove(HEALTH_KEY)
        const payload = { forge, minutes: Math.round(outage / 60_000) }
        await publisher.publish(
          {
            type: 'forge.recovered',
            agentId: null,
            actor: 'daemon',
            payload,
            dedupeKey: key('recovered', reported.since),
          },
          tx,
        )
      })
      return outage
    },
  }
}
