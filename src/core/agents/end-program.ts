import type { Agent } from '../../domain/records.ts'
import type { Results } from './agent-result.ts'
import type { Deps } from '../deps.ts'
import type { Exits } from './exits.ts'
import type { FinalOutputOf } from './final-output.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { OwnPanes } from '../panes/panes.ts'

/**
 * Ends a program whose agent the records already call ended or stopped. Level-triggered: reconcile
 * does it again after a crash.
 */
export type EndProgram = (agent: Agent) => Promise<void>

export const createEndProgram =
  ({
    files,
    log,
    exits,
    panes,
    results,
    finalOutput,
    limits,
  }: Pick<Deps, 'files' | 'log'> & {
    exits: Exits
    panes: OwnPanes
    results: Pick<Results, 'record'>
    finalOutput: FinalOutputOf
    limits: Pick<LimitWatch, 'ended'>
  }): EndProgram =>
  async (agent) => {
    if (agent.paneId === null) return
    const words = await finalOutput(agent, await exits.keepTranscript(agent))
    try {
      await panes.close(agent)
      // What it hid from that (a session of its own, an environment of its own) is in there still.
      await limits.ended(agent, { kill: true })
    } catch (thrown) {
      log.warn({ err: thrown, agent: agent.id }, 'closing a pane failed; it is tried again')
    }
    await files.remove(agent.id)
    // Which files it changed takes git a while, for which nobody who ends it need wait.
    void results.record(agent.id, words)
  }
