import type { Agent } from '../../domain/records.ts'
import type { NewEvent } from '../../events/event.ts'
import { isFormerPane } from '../../domain/panes/former-pane.ts'
import { createMailNotices } from '../mail/mail-notices.ts'
import type { Results } from './agent-result.ts'
import type { Deps } from '../deps.ts'
import { isAlive, STOPPED } from '../../domain/lifecycle.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { TERMINAL_LINES } from '../panes/scrollback.ts'
import type { States } from './states.ts'

export interface Exit {
  readonly exitCode: number | null
  readonly exitSignal: string | null
  /** When that was (ms since the epoch); null where nobody knows. */
  readonly at: number | null
}

/**
 * When it counts as ended: not before it began what it was at, and not later than now, whatever the
 * clocks say.
 */
export const endOf = (
  { at }: Pick<Exit, 'at'>,
  { stateAt }: Pick<Agent, 'stateAt'>,
  now: number,
): number => (at === null ? now : Math.min(Math.max(at, stateAt), now))

/** What follows when an agent’s program ended without anybody having asked for it. */
export interface Exits {
  ended(agent: Agent, exit: Exit, how: string): Promise<void>
  /** Keeps what a pane shows before it goes. */
  keepTranscript(agent: Agent): Promise<string | undefined>
}

export function createExits({
  store,
  publisher,
  multiplexer,
  files,
  clock,
  states,
  log,
  panes,
  results,
}: Pick<Deps, 'store' | 'publisher' | 'multiplexer' | 'files' | 'clock' | 'log'> & {
  states: States
  panes: OwnPanes
  results: Pick<Results, 'record'>
}): Exits {
  const mailNotices = createMailNotices({ publisher, clock })

  const keepTranscript = async (agent: Agent): Promise<string | undefined> => {
    try {
      const pane = await panes.find(agent)
      if (pane === undefined) return await keepOutput(agent)
      const text = await multiplexer.capture(pane.paneId, { lines: TERMINAL_LINES })
      await files.saveTranscript(agent.id, text)
      return text
    } catch (thrown) {
      log.debug({ err: thrown, agent: agent.id }, 'no transcript to keep')
      return undefined
    }
  }

  /** The host is gone, and what it kept in memory: the file is there still. */
  const keepOutput = async (agent: Agent): Promise<string | undefined> => {
    const text = agent.runtime === 'pane' ? null : await files.readOutput(agent.id)
    if (text !== null) await files.saveTranscript(agent.id, text)
    return text ?? undefined
  }

  /**
   * Without its terminal nobody sees it any more; some programs go on all the same. In an old
   * session of Zellij’s a person does see it.
   */
  const endLeftBehind = async (agent: Agent): Promise<void> => {
    if (isFormerPane(agent.paneId)) return
    if ((await panes.find(agent)) === undefined) await multiplexer.endLeftBehind(agent.id)
  }

  return {
    keepTranscript,
    ended: async (agent, exit, how) => {
      const at = endOf(exit, agent, clock())
      const text = await keepTranscript(agent)
      const patch = { exitCode: exit.exitCode, exitSignal: exit.exitSignal, pid: null }
      // `down`, `kill` or `resume` may have come between the look and here: then it was asked for,
      // or is another program’s pane.
      const onlyIf = (now: Agent) => now.paneId === agent.paneId && isAlive(now.state)
      if (agent.kind === 'root') {
        // The root is a place, not a process: its program may be started again by `up`.
        const gone = await store.transaction(async (tx) => {
          const changed = await states.change(
            agent.id,
            {
              to: 'idle',
              reason: STOPPED,
              source: 'process',
              actor: 'daemon',
              patch: { ...patch, paneId: null },
              onlyIf,
            },
            tx,
          )
          // Whatever it has not read is the human’s now.
          if (changed !== undefined) await mailNotices.bringToInbox(tx, agent.id)
          return changed
        })
        if (gone === undefined) return
        await files.writeChannel(agent.id, null)
        await endLeftBehind(agent)
        return
      }
      // A session ends when somebody ends it: whatever its program says, nobody did.
      const well = exit.exitCode === 0 && agent.runtime !== 'acp'
      const changed = await states.change(agent.id, {
        to: well ? 'completed' : 'failed',
        reason: how,
        source: 'process',
        actor: 'daemon',
        at,
        patch,
        onlyIf,
        events: (): NewEvent[] => [
          well
            ? {
                type: 'agent.completed',
                agentId: agent.id,
                actor: agent.id,
                payload: {
                  name: agent.name,
                  summary: agent.outcome?.summary ?? 'its program ended (exit 0)',
                },
              }
            : {
                type: 'agent.failed',
                agentId: agent.id,
                actor: agent.id,
                payload: {
                  name: agent.name,
                  exit_code: exit.exitCode,
                  signal: exit.exitSignal,
                  reason: how,
                  last_lines: lastLines(text ?? '', 12),
                },
              },
        ],
      })
      if (changed === undefined) return
      await files.remove(agent.id)
      await endLeftBehind(agent)
      await results.record(agent.id)
    },
  }
}

const lastLines = (text: string, count: number): string =>
  text.trimEnd().split('\n').slice(-count).join('\n')

export function describeExit(exit: Omit<Exit, 'at'>): string {
  if (exit.exitSignal !== null) return `its program was ended by ${exit.exitSignal}`
  if (exit.exitCode === 127) return 'its program could not be started (exit 127)'
  return exit.exitCode === null
    ? 'its program is gone'
    : `its program ended with exit code ${exit.exitCode}`
}
