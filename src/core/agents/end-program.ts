import type { Agent } from '../../domain/records.ts'
import type { Results } from './agent-result.ts'
import type { Deps } from '../deps.ts'
import type { Exits } from './exits.ts'
import type { FinalOutputOf } from './final-output.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { atOnce } from '../at-once.ts'

/** Each looks at all files of a worktree. */
const RECORDED_AT_ONCE = 2

/**
 * Ends the programs, all at once, of agents that the records already call ended or stopped.
 * Level-triggered: reconcile does it again after a crash.
 */
export type EndPrograms = (agents: readonly Agent[]) => Promise<void>

export const createEndPrograms =
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
  }): EndPrograms =>
  async (agents) => {
    const running = agents.filter(({ paneId }) => paneId !== null)
    const words = await Promise.all(
      running.map(async (agent) => finalOutput(agent, await exits.keepTranscript(agent))),
    )
    try {
      await panes.closeAll(running)
      // What hid from that (in a session and an environment of its own) is in their groups still.
      await Promise.all(running.map((agent) => limits.ended(agent, { kill: true })))
    } catch (thrown) {
      const ids = running.map(({ id }) => id)
      log.warn({ err: thrown, agents: ids }, 'closing panes failed; it is tried again')
    }
    await Promise.all(running.map(({ id }) => files.remove(id)))
    // Which files they changed takes git a while, for which nobody who ends them need wait.
    void atOnce(RECORDED_AT_ONCE, [...running.entries()], ([index, { id }]) =>
      results.record(id, words[index]),
    )
  }
