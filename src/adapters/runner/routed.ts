import type { PaneId } from '../../ids.ts'
import { RUNNER_PANE } from '../../runner-pane.ts'
import type { Multiplexer } from '../terminals/holder.ts'
import type { RunnerClient } from './open.ts'

/** One multiplexer for core: a pane’s id tells whether a terminal or the runner has it. No runner is started before something is opened in it. */
export function createRouted({ terminals, runner }: { terminals: Multiplexer; runner: RunnerClient }): Multiplexer {
  const at = (paneId: PaneId): Multiplexer => (paneId.startsWith(RUNNER_PANE) ? runner : terminals)
  /** Trouble with one keeps nobody from being done with the other. */
  const both = async (act: (side: Multiplexer) => Promise<void>): Promise<void> => {
    const results = await Promise.allSettled([act(terminals), act(runner)])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  return {
    name: terminals.name,
    start: async () => {
      await Promise.all([terminals.start(), runner.adopt()])
    },
    open: (options) => (options.program === undefined ? terminals : runner).open(options),
    list: async () => (await Promise.all([terminals.list(), runner.list()])).flat(),
    inspect: (paneId) => at(paneId).inspect(paneId),
    paste: (paneId, text, key) => at(paneId).paste(paneId, text, key),
    pressEnter: (paneId, key) => at(paneId).pressEnter(paneId, key),
    pressEscape: (paneId) => at(paneId).pressEscape(paneId),
    capture: (paneId, options) => at(paneId).capture(paneId, options),
    captureStyled: (paneId) => at(paneId).captureStyled(paneId),
    rename: (paneId, name) => at(paneId).rename(paneId, name),
    close: (paneId) => at(paneId).close(paneId),
    // By the mark in their environment, wherever they ran.
    endLeftBehind: (agentId) => terminals.endLeftBehind(agentId),
    onDeath: (listener) => {
      const leave = [terminals.onDeath(listener), runner.onDeath(listener)]
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
