import type { AgentId } from '../../domain/ids.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import type { Deps } from '../deps.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isAlive } from '../../domain/lifecycle.ts'

/**
 * Only sets `reapedAt`: what an agent left behind is cleaned away elsewhere, and only where it is
 * proven merged.
 */
export const createReap =
  ({ store, clock, publisher }: Pick<Deps, 'store' | 'clock' | 'publisher'>): Maintenance['reap'] =>
  () =>
    store.transaction(async (tx) => {
      const agents = await tx.agents.list()
      // The root is first and never dies.
      const next = agents.find((agent) => agent.kind === 'root')
      if (next === undefined)
        throw new ExomonadError(
          'NOT_INITIALIZED',
          'No root is registered here. Run `exomonad init`.',
        )
      const reaped: AgentId[] = []
      for (const agent of agents) {
        if (isAlive(agent.state) || agent.reapedAt !== null) continue
        await tx.agents.update(agent.id, { reapedAt: clock() })
        await publisher.publish(
          {
            type: 'agent.reaped',
            agentId: agent.id,
            actor: 'human',
            payload: { name: agent.name },
          },
          tx,
        )
        reaped.push(agent.id)
      }
      return { reaped, next: next.id }
    })
