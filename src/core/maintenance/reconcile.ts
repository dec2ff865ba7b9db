import type { Pane } from '../../adapters/terminals/holder.ts'
import type { Agent } from '../../domain/records.ts'
import { isFormerPane } from '../../domain/panes/former-pane.ts'
import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { BlockingCalls } from '../turns/blocking-calls.ts'
import type { Deps } from '../deps.ts'
import { describeExit, type Exits } from '../agents/exits.ts'
import { isAlive, isLasting, STOPPED } from '../../domain/lifecycle.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { Observing } from '../agents/observing.ts'
import type { OwnPanes } from '../panes/panes.ts'
import type { SessionEnds } from '../sessions/session-ends.ts'
import type { SessionWatch } from '../sessions/session-watch.ts'
import type { States } from '../agents/states.ts'
import type { OverdueHolds } from './overdue-holds.ts'
import type { Silence } from './silence.ts'

/**
 * Level-triggered upkeep: compares the records with panes and processes, and fixes the records.
 * Hooks and death notices only make it faster.
 */
export function createReconcile({
  store,
  files,
  multiplexer,
  outbox,
  settings,
  log,
  states,
  exits,
  panes,
  observing,
  blockingCalls,
  sessionEnds,
  sessionWatch,
  limits,
  silence,
  overdueHolds,
  isLaunching,
  formerSession,
}: Pick<Deps, 'store' | 'files' | 'multiplexer' | 'outbox' | 'settings' | 'log'> & {
  states: States
  exits: Exits
  panes: OwnPanes
  observing: Pick<Observing, 'look'>
  blockingCalls: Pick<BlockingCalls, 'settleCutOff'>
  sessionEnds: Pick<SessionEnds, 'programEnded' | 'letGo'>
  sessionWatch: Pick<SessionWatch, 'look'>
  limits: Pick<LimitWatch, 'explain' | 'ended' | 'tend'>
  silence: Silence
  overdueHolds: OverdueHolds
  /** Its program is being started in this process. */
  isLaunching: (id: AgentId) => boolean
  /** Zellij’s, where versions of before had agents. */
  formerSession: string
}): { reconcile: () => Promise<void>; paneDied: (paneId: PaneId) => Promise<void> } {
  /** Of an agent whose start nobody is at work on: a crash cut it off. */
  const settleStart = async (agent: Agent, pane: Pane | undefined): Promise<void> => {
    const reason = 'its start was cut off by a restart'
    const onlyIf = (now: Agent) => now.state === 'spawning' && !isLaunching(now.id)
    if (pane !== undefined && !pane.dead) {
      await states.change(agent.id, {
        to: 'running',
        source: 'process',
        actor: 'daemon',
        patch: { paneId: pane.paneId, pid: pane.pid },
        onlyIf,
      })
    } else if (agent.kind === 'root') {
      await states.change(agent.id, {
        to: 'idle',
        reason: STOPPED,
        source: 'daemon',
        actor: 'daemon',
        onlyIf,
      })
    } else {
      await states.change(agent.id, {
        to: 'failed',
        reason,
        source: 'daemon',
        actor: 'daemon',
        onlyIf,
        events: () => [
          {
            type: 'agent.failed',
            agentId: agent.id,
            actor: agent.id,
            payload: { name: agent.name, exit_code: null, signal: null, reason, last_lines: '' },
          },
        ],
      })
    }
  }

  const settle = async (agent: Agent, pane: Pane | undefined): Promise<void> => {
    if (!isAlive(agent.state)) {
      // A kill whose pane outlived it, by a crash in between; what was kept to be looked at.
      if (pane !== undefined && (agent.state === 'killed' || (pane.dead && isOutOfSight(agent))))
        await multiplexer.close(pane.paneId)
      else if (!isLasting(agent) && pane !== undefined) await sessionEnds.letGo(agent)
      return
    }
    if (agent.state === 'spawning') {
      const spawned = (await store.journal.open()).some(
        (entry) => entry.kind === 'spawn' && entry.data['agentId'] === agent.id,
      )
      if (!spawned && !isLaunching(agent.id)) await settleStart(agent, pane)
      return
    }
    if (agent.paneId === null) {
      await blockingCalls.settleCutOff(agent)
      if (agent.stateReason === STOPPED) {
        if (pane !== undefined) await multiplexer.close(pane.paneId)
      } else if (pane !== undefined && !pane.dead) {
        await store.agents.update(agent.id, { paneId: pane.paneId, pid: pane.pid })
      }
      return
    }
    if (pane === undefined || pane.dead) {
      // The list of panes may be older than the record: what it lacks is looked at once more before
      // it counts as an end.
      const now = await panes.find(agent)
      if (now !== undefined && !now.dead) return
      const last = now ?? pane
      const exit = {
        exitCode: last?.exitCode ?? null,
        exitSignal: last?.exitSignal ?? null,
        at: last?.endedAt ?? null,
      }
      const gone = isFormerPane(agent.paneId)
        ? inZellij(agent)
        : agent.runtime === 'pane'
          ? 'its pane is gone'
          : 'the detached host that it ran in is gone'
      const how = last === undefined ? gone : await limits.explain(agent, exit, describeExit(exit))
      await (isLasting(agent)
        ? exits.ended(agent, exit, how)
        : sessionEnds.programEnded(agent, exit, how))
      await limits.ended(agent)
      return
    }
    await blockingCalls.settleCutOff(agent)
    if (!isLasting(agent)) await sessionWatch.look(agent)
  }

  const isOutOfSight = ({ reapedAt, cleanedAt }: Agent): boolean =>
    reapedAt !== null || cleanedAt !== null

  const inZellij = ({ name }: Agent): string => {
    return `its program runs in the Zellij session of an older version, out of reach: look at it with \`zellij attach ${formerSession}\`, end it there, then \`exomonad resume ${name}\``
  }

  const byAgent = (panes: readonly Pane[]) => {
    const found = new Map<string, Pane>()
    // A dead pane of an earlier life must not hide a living one.
    for (const pane of panes)
      if (pane.agentId !== null && (found.get(pane.agentId)?.dead ?? true))
        found.set(pane.agentId, pane)
    return found
  }

  /**
   * It has records, and nothing that ever happened to it is in this store: it was spawned after the
   * backup that this was restored from.
   */
  const isOfAnotherStore = async ({ agentId }: Pane): Promise<boolean> =>
    agentId !== null &&
    (await files.exists(files.authFile(agentId))) &&
    (await store.events.list({ agentId, limit: 1 })).length === 0

  return {
    reconcile: async () => {
      // One that can’t be read keeps nobody from being reconciled.
      const configured = await settings.snapshot().catch((thrown: unknown) => {
        log.error({ err: thrown }, 'nobody is looked at for its silence: no configuration')
        return undefined
      })
      const listed = byAgent(await multiplexer.list())
      for (const agent of await store.agents.list()) {
        try {
          await settle(agent, listed.get(agent.id))
          if (configured !== undefined) await silence.report(configured.config, agent)
        } catch (thrown) {
          log.error({ err: thrown, agent: agent.id }, 'reconciling an agent failed')
        }
        listed.delete(agent.id)
      }
      for (const pane of listed.values()) {
        // Mostly of a spawn that was taken back.
        if (!(await isOfAnotherStore(pane))) await multiplexer.close(pane.paneId)
        else
          log.warn(
            { paneId: pane.paneId, agent: pane.agentId, name: pane.name },
            'a terminal of an agent that the store does not know is left alone',
          )
      }
      await limits.tend()
      if (configured !== undefined)
        await Promise.all(
          (await store.agents.list({ live: true })).map((agent) =>
            observing.look(agent, configured),
          ),
        )
      // After what is reported of each by itself, and what was seen of each.
      if (configured !== undefined) await overdueHolds.end(configured.config)
      outbox.wake()
    },
    paneDied: async (paneId) => {
      const agent = (await store.agents.list({ live: true })).find(
        (candidate) => candidate.paneId === paneId,
      )
      if (agent === undefined) return
      const pane = await panes.find(agent)
      if (pane === undefined || pane.dead) await settle(agent, pane)
    },
  }
}
