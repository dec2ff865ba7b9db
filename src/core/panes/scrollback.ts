import type { AgentControl } from '../agents/control-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { AgentId } from '../../domain/ids.ts'

/**
 * How much of a terminal’s text counts: what is kept of a pane when it goes, and what is shown of
 * it.
 */
export const TERMINAL_LINES = 20_000

/** What people are shown of an agent beside its terminal. */
export interface Scrollback {
  /**
   * Lines of the agent’s terminal’s text now, without blank ones at its end; 0 where there is none.
   */
  lineNow(id: AgentId): Promise<number>
  /** Keeps what a person’s wait for this agent answered, in words for people. */
  rememberWait(id: AgentId, text: string): Promise<void>
}

export function createScrollback({
  store,
  clock,
  running,
}: Pick<Deps, 'store' | 'clock'> & { running: Pick<AgentControl, 'screen'> }): Scrollback {
  const lineNow = (id: AgentId): Promise<number> =>
    running.screen(id, { lines: TERMINAL_LINES }).then(
      ({ text }) => countLines(text),
      // Its pane may go at any time, and where a note stands is worth no failure.
      () => 0,
    )

  return {
    lineNow,
    rememberWait: async (id, text) => {
      await store.scrollback.append({
        agentId: id,
        kind: 'wait',
        text,
        at: clock(),
        line: await lineNow(id),
      })
    },
  }
}

function countLines(text: string): number {
  const shown = text.trimEnd()
  return shown === '' ? 0 : shown.split('\n').length
}
