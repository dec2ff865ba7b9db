import type { SpawnError } from '../spawn/spawn-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { PaneView, ViewOptions } from '../../adapters/terminals/pane-view.ts'
import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'

export interface ResumedAgent {
  agent_id: AgentId
  name: string
  pane: string
  session: string
  warnings: string[]
}

export interface AgentControl {
  /** Launches the root’s agent with a task in a pane of its own. `already` where it runs. */
  up(
    task: string | undefined,
    agent: string | undefined,
  ): Promise<{ agent_id: AgentId; pane: string; already: boolean; warnings: string[] }>
  /** Ends all agents’ programs; work, branches and records stay, and `resume` brings them back. */
  down(): Promise<{ stopped: AgentId[] }>
  /**
   * Agents whose program is gone are launched again in their worktree and session. Without an
   * address, all of them.
   */
  resume(address: string | undefined): Promise<{ resumed: ResumedAgent[]; errors: SpawnError[] }>
  /** `why`: in place of who did it. */
  kill(caller: Caller, address: string, why?: string): Promise<{ killed: AgentId[] }>
  /**
   * Several at once: all of them, or none where one of them can’t be. `done`: also all that are
   * done. INVALID_ARG where nobody is meant.
   */
  killAll(
    caller: Caller,
    addresses: readonly string[],
    options: { done: boolean },
  ): Promise<{ killed: AgentId[] }>
  /**
   * Ends its turn, as Escape in its terminal does; false where it rests. NOT_A_CHILD, ALREADY_DEAD,
   * PANE_GONE, NOT_AVAILABLE where it waits for a person, or one is typing there.
   */
  interrupt(caller: Caller, address: string): Promise<{ agent_id: AgentId; interrupted: boolean }>
  /**
   * What a person runs to see the agent’s pane; null where the multiplexer has no such thing
   * (`socket` then serves its stream).
   */
  attach(
    address: string,
    inside?: string,
  ): Promise<{ agent_id: AgentId; multiplexer: string; pane: string; argv: string[] | null }>
  /**
   * Screen and scrollback of the agent’s pane, or its transcript where the pane is gone. `styled`:
   * also with the escape sequences (SGR) of colours and attributes, and wrapped lines joined.
   */
  screen(
    address: string,
    options: { lines: number; styled?: boolean },
  ): Promise<{ agent_id: AgentId; text: string; styled_text?: string; live: boolean }>
  /** Shows the agent’s pane on a surface of ours. PANE_GONE where it has none. */
  view(
    address: string,
    options: ViewOptions,
  ): Promise<{ agent: Agent; paneId: PaneId; view: PaneView }>
}
