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
  /** The same of many at once. */
  closeAll(agents: readonly Agent[]): Promise<void>
}

export function createOwnPanes({ multiplexer }: Pick<Deps, 'multiplexer'>): OwnPanes {
  const find: OwnPanes['find'] = async (agent) => {
    if (agent.paneId === null) return undefined
    const pane = await multiplexer.inspect(agent.paneId)
    return pane?.agentId === agent.id ? pane : undefined
  }

  const closeAll: OwnPanes['closeAll'] = async (agents) => {
    const found = await Promise.all(agents.map(find))
    const without = agents.filter((_, index) => found[index] === undefined)
    await Promise.all([
      multiplexer.closeAll(found.flatMap((pane) => (pane === undefined ? [] : [pane.paneId]))),
      ...without.map(({ id }) => multiplexer.endLeftBehind(id)),
    ])
  }

  return { find, close: (agent) => closeAll([agent]), closeAll }
}
