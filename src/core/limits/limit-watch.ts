import type { Behind, Counted, Limits, Met, Noted } from '../../adapters/limits/limits.ts'
import type { Config } from '../../config/schema.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { boundText } from '../../domain/formats/resource-limits.ts'
import type { Exit } from '../agents/exits.ts'
import type { Deps } from '../deps.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { boundsOf } from './configured-bounds.ts'

/** A build that is tried again, or a shell that goes on forking, is one incident. Milliseconds. */
const QUIET = 300_000
/** An end is known a moment after its cause. Milliseconds. */
const SETTLE = 1_000
/** What was counted so shortly before an end is its cause. Milliseconds. */
const CAUSE = 10_000
/** Between asking the processes of an agent to end and the end of its group. Milliseconds. */
const GRACE = 30_000

/** From what holds a program to the program that joins it, on a busy machine. Milliseconds. */
const START = 60_000

const COUNTED: readonly Counted[] = ['memory', 'processes']

/** Holds agents to their limits, and says what was ended or refused by one. */
export interface LimitWatch {
  /** What its program is started behind. LIMITS_UNAVAILABLE where a limit can’t be kept. */
  behind(config: Config, agent: Agent): Promise<Behind>
  /** How a program ended, and by which limit, where it was one. */
  explain(agent: Agent, exit: Omit<Exit, 'at'>, how: string): Promise<string>
  /** Its program has ended. `kill`: what it left running is to end as well. */
  ended(agent: Agent, options?: { readonly kill?: boolean }): Promise<void>
  /** Level-triggered: reports what was met, and takes away what held agents that have ended. */
  tend(): Promise<void>
  stop(): Promise<void>
}

export function createLimitWatch({
  store,
  publisher,
  limits,
  panes,
  clock,
  log,
}: Pick<Deps, 'store' | 'publisher' | 'clock' | 'log'> & {
  limits: Limits
  panes: Pick<OwnPanes, 'find'>
}): LimitWatch {
  const watched = new Map<AgentId, () => void>()
  const timers = new Map<AgentId, NodeJS.Timeout>()
  /**
   * When what holds it was made for a program that nobody has seen the end of: an agent that has
   * ended runs its teardown in it. Milliseconds since the epoch.
   */
  const starting = new Map<AgentId, number>()
  let stopped = false
  let reporting: Promise<void> = Promise.resolve()

  /** Whose group it is in: a background task is its caller’s, whose limits hold both together. */
  const holderOf = async ({ id, kind, parentId }: Agent): Promise<AgentId> =>
    kind === 'process' && parentId !== null && (await limits.join(parentId)) !== undefined
      ? parentId
      : id

  const at = (met: Met, limit: Counted): Noted =>
    met.noted[limit] ?? { seen: 0, seenAt: 0, told: 0, toldAt: 0 }

  const limitedBy = (met: Met, limit: Counted) => {
    const { value = 0, key = 'limits' } = met.bounds[limit] ?? {}
    return { bound: boundText(limit, value), key }
  }

  const report = async (agent: Agent): Promise<void> => {
    const met = await limits.met(agent.id)
    if (met === undefined) return
    const noted: { [Limit in Counted]?: Noted } = { ...met.noted }
    let isNew = false
    for (const limit of COUNTED) {
      const count = met.counts[limit] ?? 0
      const before = at(met, limit)
      const now = clock()
      if (count > before.seen) {
        noted[limit] = { ...before, seen: count, seenAt: now }
        isNew = true
      }
      if (count <= before.told || now - before.toldAt < QUIET) continue
      await publisher.publish({
        type: 'agent.limited',
        agentId: agent.kind === 'process' ? (agent.parentId ?? agent.id) : agent.id,
        actor: 'daemon',
        payload: {
          name: agent.name,
          limit,
          ...limitedBy(met, limit),
          times: count - before.told,
          ended: false,
        },
        dedupeKey: `limited:${agent.id}:${met.made}:${limit}:${count}`,
      })
      noted[limit] = { seen: count, seenAt: now, told: count, toldAt: now }
      isNew = true
    }
    if (isNew) await limits.note(agent.id, met.made, noted)
  }

  const isRunning = async (agent: Agent): Promise<boolean> => {
    const pane = await panes.find(agent)
    return pane !== undefined && !pane.dead
  }

  const unwatch = (id: AgentId): void => {
    watched.get(id)?.()
    watched.delete(id)
    clearTimeout(timers.get(id))
    timers.delete(id)
  }

  const release = async (id: AgentId, kill: boolean): Promise<void> => {
    unwatch(id)
    starting.delete(id)
    await limits.release(id, { kill })
  }

  const look = async (id: AgentId): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined) return release(id, false)
    if (agent.state === 'spawning') return
    if (isAlive(agent.state) && agent.paneId !== null) {
      // Whoever has just ended is explained, not told.
      if (!(await isRunning(agent))) return
      await report(agent)
      await watch(id)
      return
    }
    if (clock() - (starting.get(id) ?? -START) < START) return
    const isOver = agent.state === 'killed' && clock() - agent.stateAt > GRACE
    await release(id, isOver || agent.cleanedAt !== null)
  }

  const inTurn = (id: AgentId): Promise<void> =>
    (reporting = reporting
      .then(() => look(id))
      .catch((thrown: unknown) =>
        log.warn({ err: thrown, agent: id }, 'limits were not looked at; they are again'),
      ))

  const watch = async (id: AgentId): Promise<void> => {
    if (stopped || watched.has(id)) return
    watched.set(id, () => {})
    const stop = await limits.watch(id, () => {
      if (stopped || timers.has(id)) return
      const timer = setTimeout(() => {
        timers.delete(id)
        void inTurn(id)
      }, SETTLE)
      timers.set(id, timer)
    })
    if (stopped) stop()
    else watched.set(id, stop)
  }

  return {
    behind: async (config, agent) => {
      const holder = await holderOf(agent)
      if (holder !== agent.id) return (await limits.join(holder)) ?? { argv: [], notices: [] }
      const bounds = boundsOf(config, agent)
      unwatch(agent.id)
      if (Object.keys(bounds).length > 0) {
        starting.set(agent.id, clock())
        const behind = await limits.hold(agent.id, bounds)
        await watch(agent.id)
        return behind
      }
      await limits.release(agent.id, { kill: false })
      return { argv: [], notices: [] }
    },

    explain: async (agent, exit, how) => {
      if (exit.exitCode === 0) return how
      const holder = await holderOf(agent)
      const met = await limits.met(holder)
      if (met === undefined) return how
      const limit = COUNTED.find((one) => {
        const { seen, seenAt } = at(met, one)
        const count = met.counts[one] ?? 0
        return count > seen || (count > 0 && clock() - seenAt < CAUSE)
      })
      if (limit === undefined) return how
      const count = met.counts[limit] ?? 0
      const noted = { seen: count, seenAt: 0, told: count, toldAt: clock() }
      await limits.note(holder, met.made, { ...met.noted, [limit]: noted })
      const { bound, key } = limitedBy(met, limit)
      // 137: a shell or bubblewrap around it says so of what SIGKILL ended.
      const isKilled = exit.exitSignal === 'SIGKILL' || exit.exitCode === 137
      if (agent.kind === 'root' && limit === 'memory')
        await publisher.publish({
          type: 'agent.limited',
          agentId: agent.id,
          actor: 'daemon',
          payload: { name: agent.name, limit, bound, key, times: 1, ended: true },
          dedupeKey: `limited:${agent.id}:${met.made}:${limit}:${count}`,
        })
      const what =
        limit === 'processes'
          ? `${how}, after its ${bound} refused it more`
          : isKilled
            ? `ended by its ${bound} (kernel OOM kill)`
            : `${how}, after its ${bound} ended one of its processes (kernel OOM kill)`
      return `${what}; ${key} in the configuration raises it`
    },

    ended: async ({ id }, { kill = false } = {}) => {
      await release(id, kill).catch((thrown: unknown) =>
        log.warn({ err: thrown, agent: id }, 'what held an agent stays; it is tried again'),
      )
    },

    tend: async () => {
      for (const id of await limits.list()) await inTurn(id)
    },

    stop: async () => {
      stopped = true
      for (const id of watched.keys()) unwatch(id)
      for (const timer of timers.values()) clearTimeout(timer)
      await reporting
    },
  }
}
