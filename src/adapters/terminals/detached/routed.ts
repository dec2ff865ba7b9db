import type { PaneId } from '../../../domain/ids.ts'
import type { DetachedHolder } from '../headless.ts'
import type { Multiplexer } from '../holder.ts'
import { isDetached } from './detached.ts'

/**
 * Terminals elsewhere, and the detached host for the rest, as one: a pane’s id says where it is.
 * No host is started before something is opened in it.
 */
export function createRouted({
  terminals,
  detached,
}: {
  terminals: Multiplexer
  detached: DetachedHolder
}): Multiplexer {
  const at = (paneId: PaneId): Multiplexer => (isDetached(paneId) ? detached : terminals)
  /** Trouble with one keeps nobody from being done with the other. */
  const both = async (act: (side: Multiplexer) => Promise<void>): Promise<void> => {
    const results = await Promise.allSettled([act(terminals), act(detached)])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  return {
    name: terminals.name,
    start: async () => {
      await Promise.all([terminals.start(), detached.adopt()])
    },
    open: (options) => (options.program === undefined ? terminals : detached).open(options),
    list: async () => (await Promise.all([terminals.list(), detached.list()])).flat(),
    inspect: (paneId) => at(paneId).inspect(paneId),
    paste: (paneId, text, key) => at(paneId).paste(paneId, text, key),
    pressEnter: (paneId, key) => at(paneId).pressEnter(paneId, key),
    pressEscape: (paneId) => at(paneId).pressEscape(paneId),
    capture: (paneId, options) => at(paneId).capture(paneId, options),
    captureStyled: (paneId, options) => at(paneId).captureStyled(paneId, options),
    view: (paneId, options) => at(paneId).view(paneId, options),
    rename: (paneId, name, shown) => at(paneId).rename(paneId, name, shown),
    close: (paneId) => at(paneId).close(paneId),
    closeAll: (paneIds) =>
      both((side) => side.closeAll(paneIds.filter((paneId) => at(paneId) === side))),
    // By the mark in their environment, wherever they ran.
    endLeftBehind: (agentId) => terminals.endLeftBehind(agentId),
    onDeath: (listener) => {
      const leave = [terminals.onDeath(listener), detached.onDeath(listener)]
      return () => {
        for (const stop of leave) stop()
      }
    },
    attachCommand: (paneId) => at(paneId).attachCommand(paneId),
    ...(terminals.show !== undefined && { show: terminals.show }),
    shutdown: () => both((side) => side.shutdown()),
    dispose: () => both((side) => side.dispose()),
  }
}
