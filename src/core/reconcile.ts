import type { Pane } from '../adapters/multiplexer/multiplexer.ts'
import type { Agent } from '../adapters/store/store.ts'
import type { PaneId } from '../ids.ts'
import type { Deps } from './deps.ts'
import { describeExit, type Exits } from './exits.ts'
import { isAlive, STOPPED } from './lifecycle.ts'
import type { States } from './states.ts'

/**
 * Level-triggered upkeep: compares the records with panes and processes, and mends the records. Hooks and death notices only make it faster.
 */
export function createReconcile({
  store,
  multiplexer,
  publisher,
  outbox,
  settings,
  clock,
  log,
  states,
  exits,
  isWaiting,
}: Pick<Deps, 'store' | 'multiplexer' | 'publisher' | 'outbox' | 'settings' | 'clock' | 'log'> & {
  states: States
  exits: Exits
  isWaiting: (questionId: string) => boolean
}): { reconcile: () => Promise<void>; paneDied: (paneId: PaneId) => Promise<void> } {
  const settle = async (agent: Agent, pane: Pane | undefined): Promise<void> => {
    if (!isAlive(agent.state)) {
      // A kill whose pane outlived it, by a crash in between.
      if (agent.state === 'killed' && pane !== undefined) await multiplexer.close(pane.paneId)
      return
    }
    if (agent.state === 'spawning') return
    if (agent.paneId === null) {
      if (agent.stateReason === STOPPED) {
        if (pane !== undefined) await multiplexer.close(pane.paneId)
      } else if (pane !== undefined && !pane.dead) {
        await store.agents.update(agent.id, { paneId: pane.paneId, pid: pane.pid })
      }
      return
    }
    if (pane === undefined || pane.dead) {
      const exit = { exitCode: pane?.exitCode ?? null, exitSignal: pane?.exitSignal ?? null }
      await exits.ended(agent, exit, pane === undefined ? 'its pane is gone' : describeExit(exit))
      return
    }
    const question = /^question (q-[0-9a-f]+)$/.exec(agent.stateReason ?? '')?.[1]
    if (agent.state === 'waiting' && question !== undefined && !isWaiting(question)) {
      await states.change(agent.id, { to: 'running', source: 'daemon', actor: 'daemon', reason: 'its call was cut off by a restart' })
    }
  }

  const silent = async (agent: Agent): Promise<void> => {
    if (agent.state !== 'running' || agent.kind === 'root') return
    const { liveness } = await settings.config()
    const quiet = clock() - agent.lastSeenAt
    if (quiet < liveness.silent_after * 1000) return
    await publisher.publish({
      type: 'agent.silent',
      agentId: agent.id,
      actor: agent.id,
      payload: { name: agent.name, minutes: Math.round(quiet / 60_000), dedupe: String(agent.lastSeenAt) },
      dedupeKey: `silent:${agent.id}:${agent.lastSeenAt}`,
    })
  }

  const byAgent = (panes: readonly Pane[]) => {
    const found = new Map<string, Pane>()
    // A dead pane of an earlier life must not hide a living one.
    for (const pane of panes) if (pane.agentId !== null && (found.get(pane.agentId)?.dead ?? true)) found.set(pane.agentId, pane)
    return found
  }

  return {
    reconcile: async () => {
      const panes = byAgent(await multiplexer.list())
      for (const agent of await store.agents.list()) {
        try {
          await settle(agent, panes.get(agent.id))
          await silent(agent)
        } catch (thrown) {
          log.error({ err: thrown, agent: agent.id }, 'reconciling an agent failed')
        }
        panes.delete(agent.id)
      }
      // Panes of spawns that were taken back.
      for (const pane of panes.values()) await multiplexer.close(pane.paneId)
      outbox.wake()
    },
    paneDied: async (paneId) => {
      const agent = (await store.agents.list({ live: true })).find((candidate) => candidate.paneId === paneId)
      const pane = await multiplexer.inspect(paneId)
      if (agent !== undefined && (pane === undefined || pane.dead)) await settle(agent, pane)
    },
  }
}
