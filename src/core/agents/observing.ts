import type { AgentCli, Observation } from '../../adapters/agent-cli/agent-cli.ts'
import type { Agent, AgentState } from '../../domain/records.ts'
import type { NewEvent } from '../../events/event.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Configured, Deps } from '../deps.ts'
import { restsAtDialog } from './dialog.ts'
import { isAlive, isLasting } from '../../domain/lifecycle.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { cliNow, cliOf } from './programs.ts'
import type { AgentProbe } from './agent-probe.ts'
import type { States } from './states.ts'
import { waitsForPerson } from './waits-for-person.ts'

/** A look at an agent’s program, and when it was made (ms since the epoch). */
export interface Seen {
  readonly state: Observation['state']
  readonly at: number
  readonly tentative?: boolean
}

/**
 * What was said or seen this recently (ms) may not show yet: a status file is written after the
 * hook that reports the same.
 */
const MOMENT = 1000
/** Looks that confirm each other are this far apart at least, and this close at most (ms). */
const APART = 300
const TOGETHER = 90_000
/**
 * What stands in the place of a prompt for as long (ms) is no menu that goes by itself, nor a
 * picture half drawn.
 */
const STANDS = 2500

/**
 * The state that looks lead to, where they contradict the record; undefined where the record
 * stands. Hooks are believed first: only what is seen twice, and longer than a moment after they
 * said something else, counts more.
 */
export function concluded(
  agent: Agent,
  seen: Seen,
  before: Seen | undefined,
  startedAt: number,
): Seen['state'] | undefined {
  if (
    !isAlive(agent.state) ||
    agent.state === 'spawning' ||
    agent.paneId === null ||
    seen.state === agent.state
  )
    return undefined
  const inCall = agent.state === 'waiting' && agent.stateSource === 'tool'
  // A call of its own that waits looks like work from outside. Only the end of the turn shows that
  // nobody waits for it any more.
  if (inCall && seen.state !== 'idle') return undefined
  // That it can’t be seen does not outweigh what its hooks said since this daemon receives them.
  if (seen.state === 'unknown' && agent.state !== 'idle' && agent.stateAt >= startedAt)
    return undefined
  const reportedAt = Math.max(agent.stateAt, agent.lastSeenAt)
  if (seen.at - reportedAt < MOMENT) return undefined
  if (seen.state === 'waiting' && seen.tentative !== true) return 'waiting'
  const apart = seen.tentative === true ? STANDS : APART
  const twice =
    before?.state === seen.state &&
    seen.at - before.at >= apart &&
    seen.at - before.at <= TOGETHER &&
    before.at > reportedAt
  return twice ? seen.state : undefined
}

export interface Observing {
  /** Looks at an agent whose adapter can, and corrects its record. */
  look(agent: Agent, configured: Configured): Promise<void>
  /** Ends what is still to come. */
  stop(): void
}

/**
 * Looks at programs where hooks don’t report: after Escape, a crash of a hook, a restart of the
 * daemon. Every look counts, whoever made it; the first that contradicts the record is followed by
 * another.
 */
export function createObserving({
  store,
  settings,
  clock,
  log,
  probe,
  states,
  panes,
  isAsked,
}: Pick<Deps, 'store' | 'settings' | 'clock' | 'log'> & {
  probe: AgentProbe
  states: States
  panes: OwnPanes
  /** A permission question of its program lies with the human. */
  isAsked: (id: AgentId) => boolean
}): Observing {
  const startedAt = clock()
  const last = new Map<AgentId, Seen>()
  const timers = new Map<AgentId, NodeJS.Timeout>()
  let stopped = false

  const apply = async (
    agent: Agent,
    to: AgentState,
    { reason, source, screen }: Observation,
  ): Promise<void> => {
    if (to === 'waiting') {
      await waitsForPerson(
        states,
        agent,
        reason ?? 'it waits for a person',
        source,
        screen === undefined ? {} : { screen },
      )
      return
    }
    const ended =
      to === 'idle' &&
      isLasting(agent) &&
      (agent.state === 'running' || (agent.state === 'waiting' && !restsAtDialog(agent)))
    await states.change(agent.id, {
      to,
      reason,
      source,
      actor: agent.id,
      onlyIf: (now) =>
        now.state === agent.state &&
        now.stateAt === agent.stateAt &&
        now.lastSeenAt === agent.lastSeenAt,
      ...(ended
        ? {
            events: (): NewEvent[] => [
              {
                type: 'agent.idle',
                agentId: agent.id,
                actor: agent.id,
                payload: { name: agent.name },
              },
            ],
          }
        : {}),
    })
  }

  const note = async (id: AgentId, observation: Observation): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined || stopped) return
    // While its hook waits for the human’s answer the program looks as if it worked.
    if (agent.state === 'waiting' && observation.state === 'running' && isAsked(id)) return
    const seen = {
      state: observation.state,
      at: clock(),
      tentative: observation.tentative === true,
    }
    const before = last.get(id)
    const to = concluded(agent, seen, before, startedAt)
    // Of a row of looks that agree the first is kept: the row must be long enough, not the way from
    // one to the next.
    if (
      before?.state !== seen.state ||
      seen.at - before.at > TOGETHER ||
      before.at <= Math.max(agent.stateAt, agent.lastSeenAt)
    )
      last.set(id, seen)
    if (to !== undefined) {
      last.delete(id)
      await apply(agent, to, observation)
    } else if (isAlive(agent.state) && seen.state !== agent.state && agent.state !== 'spawning')
      again(id)
  }

  const again = (id: AgentId): void => {
    const before = last.get(id)
    if (timers.has(id) || before === undefined || clock() - before.at > 4 * MOMENT) return
    const timer = setTimeout(() => {
      timers.delete(id)
      void store.agents
        .get(id)
        .then(async (agent) => {
          if (agent !== undefined && !stopped) await lookWith(agent, await cliNow(settings, agent))
        })
        .catch((error: unknown) =>
          log.debug({ err: error, agent: id }, 'an agent could not be looked at'),
        )
    }, MOMENT)
    timer.unref()
    timers.set(id, timer)
  }

  const lookWith = async (agent: Agent, cli: AgentCli | undefined): Promise<void> => {
    if (agent.paneId === null || !isAlive(agent.state) || cli?.observe === undefined) return
    const pane = await panes.find(agent)
    if (pane !== undefined && !pane.dead) await probe.observe(agent, cli, pane)
  }

  const unsubscribe = probe.onSeen((agent, observation) => {
    note(agent.id, observation).catch((error: unknown) =>
      log.warn({ err: error, agent: agent.id }, 'what was seen of an agent could not be noted'),
    )
  })

  return {
    look: (agent, configured) => lookWith(agent, cliOf(configured, agent)),
    stop: () => {
      stopped = true
      unsubscribe()
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
