import type { Agent } from '../adapters/store/store.ts'
import type { NewEvent } from '../events/event.ts'
import type { PaneId } from '../ids.ts'
import type { Deps } from './deps.ts'
import { STOPPED } from './lifecycle.ts'
import type { States } from './states.ts'

export interface Exit {
  readonly exitCode: number | null
  readonly exitSignal: string | null
}

/** What follows when an agent’s program ended without anybody having asked for it. */
export interface Exits {
  ended(agent: Agent, exit: Exit, how: string): Promise<void>
  /** Keeps what a pane shows before it goes. */
  keepTranscript(agent: Agent): Promise<string>
}

export function createExits({ multiplexer, files, states, log }: Pick<Deps, 'multiplexer' | 'files' | 'log'> & { states: States }): Exits {
  const keepTranscript = async (agent: Agent): Promise<string> => {
    if (agent.paneId === null) return ''
    try {
      const text = await multiplexer.capture(agent.paneId as PaneId, { lines: 20_000 })
      await files.saveTranscript(agent.id, text)
      return text
    } catch (thrown) {
      log.debug({ err: thrown, agent: agent.id }, 'no transcript to keep')
      return ''
    }
  }

  return {
    keepTranscript,
    ended: async (agent, exit, how) => {
      const text = await keepTranscript(agent)
      const patch = { exitCode: exit.exitCode, exitSignal: exit.exitSignal, pid: null }
      if (agent.kind === 'root') {
        // The root is a place, not a process: its program may be started again by `up`.
        await states.change(agent.id, { to: 'idle', reason: STOPPED, source: 'process', actor: 'daemon', patch: { ...patch, paneId: null } })
        return
      }
      const well = exit.exitCode === 0
      await states.change(agent.id, {
        to: well ? 'completed' : 'failed',
        reason: how,
        source: 'process',
        actor: 'daemon',
        patch,
        events: (): NewEvent[] => [
          well
            ? {
                type: 'agent.completed',
                agentId: agent.id,
                actor: agent.id,
                payload: { name: agent.name, summary: agent.outcome?.summary ?? 'its program ended (exit 0)' },
              }
            : {
                type: 'agent.failed',
                agentId: agent.id,
                actor: agent.id,
                payload: { name: agent.name, exit_code: exit.exitCode, signal: exit.exitSignal, reason: how, last_lines: lastLines(text, 12) },
              },
        ],
      })
      await files.remove(agent.id)
    },
  }
}

const lastLines = (text: string, count: number): string => text.trimEnd().split('\n').slice(-count).join('\n')

export function describeExit(exit: Exit): string {
  if (exit.exitSignal !== null) return `its program was ended by ${exit.exitSignal}`
  if (exit.exitCode === 127) return 'its program could not be started (exit 127)'
  return exit.exitCode === null ? 'its program is gone' : `its program ended with exit code ${exit.exitCode}`
}
