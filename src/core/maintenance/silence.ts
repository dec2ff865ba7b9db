import type { Config } from '../../config/schema.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { ENDED_UNHEARD, hasProgram, isLasting } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { filedBranches, knownPulls } from '../pulls/pull-records.ts'
import { ownWaitsOf } from '../turns/own-waits.ts'
import { isRestKnown, waitsFor } from '../turns/rest.ts'

/**
 * After a start it first has to be heard what happened meanwhile: hooks of the time without a daemon
 * lie in the spool. Milliseconds.
 */
const HEARD = 60_000

/** Whether so little time has passed since a start that a silence of `limit` says nothing yet. */
export const isUnheard = (startedAt: number, now: number, limit: number): boolean =>
  now - startedAt < Math.min(limit, HEARD)

export interface Silence {
  /** Notifies the parent of an agent that does nothing and has not said so, once. */
  report(config: Pick<Config, 'liveness' | 'attention'>, agent: Agent): Promise<void>
}

/** How long (ms) one is left alone that shows no sign of life, or rests and has reported nothing. */
export const stalledAfter = ({
  liveness,
  attention,
}: Pick<Config, 'liveness' | 'attention'>): number =>
  (liveness.silent_after ?? attention.stalled_after) * 1000

/** Since when (ms since the epoch) it is silent, and for how long it may be. */
interface Quiet {
  readonly since: number
  readonly limit: number
  readonly rests: boolean
  readonly waits: readonly string[]
}

/**
 * What waits for something known is only shown. Of what it has begun by itself that holds until
 * `attention.background_after`: what runs for longer is taken for a server, which never ends and
 * wakes nobody. A wake-up that it has asked for comes.
 */
export function createSilence({
  store,
  publisher,
  clock,
}: Pick<Deps, 'store' | 'publisher' | 'clock'>): Silence {
  const startedAt = clock()

  const isFiled = async (agent: Agent): Promise<boolean> =>
    !sharesBranch(agent) && filedBranches(await knownPulls(store)).has(agent.branch)
  /** Its parent knows how its work stands, or will by its pull request. */
  const isKnown = async (agent: Agent): Promise<boolean> =>
    (await isRestKnown(store, agent.id)) || (await isFiled(agent))

  /** Something is about to begin its next turn. */
  const isAwaited = async (id: AgentId): Promise<boolean> =>
    (await waitsFor({ tx: store, pulls: () => knownPulls(store) }, id)) !== undefined ||
    (await store.approvals.pending()).some(({ agentId }) => agentId === id) ||
    (await store.outbox.list({ recipient: id, states: ['queued', 'sent'] })).some(
      ({ reach }) => reach === 'wake',
    )

  const atRest = async (agent: Agent, config: Parameters<Silence['report']>[0]) => {
    if (!isLasting(agent) || !hasProgram(agent) || (await isKnown(agent))) return undefined
    const own = await ownWaitsOf(store, agent.id)
    if (own !== undefined)
      return own.scheduled === true
        ? undefined
        : {
            ...{ since: own.since, limit: config.attention.background_after * 1000 },
            ...{ rests: true, waits: own.waits },
          }
    if (await isAwaited(agent.id)) return undefined
    return { since: agent.stateAt, limit: stalledAfter(config), rests: true, waits: [] }
  }

  const quietOf = async (
    agent: Agent,
    config: Parameters<Silence['report']>[0],
  ): Promise<Quiet | undefined> => {
    if (agent.state === 'idle') return atRest(agent, config)
    if (agent.state !== 'running' && agent.state !== 'unknown') return undefined
    if (agent.state === 'unknown' && (await isKnown(agent))) return undefined
    return { since: agent.lastSeenAt, limit: stalledAfter(config), rests: false, waits: [] }
  }

  /** Nobody was there to hear that its turn ended, and so nobody was notified. */
  const makeUpFor = async ({ id, name, stateAt }: Agent): Promise<void> => {
    await publisher.publish({
      type: 'agent.idle',
      agentId: id,
      actor: id,
      payload: { name },
      dedupeKey: `idle:${id}:${stateAt}`,
    })
  }

  return {
    report: async (config, agent) => {
      // A command need not say anything.
      if (agent.kind === 'root' || agent.kind === 'process') return
      if (agent.state === 'idle' && agent.stateReason === ENDED_UNHEARD && isLasting(agent))
        await makeUpFor(agent)
      const found = await quietOf(agent, config)
      if (found === undefined) return
      const { since, limit, rests, waits } = found
      const quiet = clock() - since
      if (quiet < limit) return
      if (isUnheard(startedAt, clock(), limit)) return
      await publisher.publish({
        type: 'agent.silent',
        agentId: agent.id,
        actor: agent.id,
        payload: {
          name: agent.name,
          minutes: Math.round(quiet / 60_000),
          dedupe: String(since),
          waits_for: waits.join(', '),
          rests,
        },
      })
    },
  }
}
