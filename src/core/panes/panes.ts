import type { Pane } from '../../adapters/terminals/holder.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/**
 * The pane on record of an agent, and only if it is still that agent’s: after a reboot the
 * multiplexer gives the same ids to other agents’ panes, and a record of an ended agent keeps its
 * old one.
 */
export interface OwnPanes {
  find(agent: Agent): Promise<Pane | undefined>
  /** Gone already is fine; what its program left running ends all the same. */
  close(agent: Agent): Promise<void>
}

export function createOwnPanes({ multiplexer }: Pick<Deps, 'multiplexer'>): OwnPanes {
  const find: OwnPanes['find'] = async (agent) => {
    if (agent.paneId === null) return undefined
    const pane = await multiplexer.inspect(agent.paneId)
    return pane?.agentId === agent.id ? pane : undefined
  }

  return {
    find,
    close: async (agent) => {
      const pane = await find(agent)
      if (pane !== undefined) await multiplexer.close(pane.paneId)
      else await multiplexer.endLeftBehind(agent.id)
    },
  }
}
