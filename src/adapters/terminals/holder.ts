import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { HeadlessProgram } from './headless-program.ts'
import type { PaneView, ViewOptions } from './pane-view.ts'
import type { Shown } from '../../domain/shown-key.ts'

export interface OpenPane {
  readonly agentId: AgentId
  /** Shown as window name or title. */
  readonly name: string
  readonly cwd: string
  /**
   * Not secret: may stand in the multiplexer’s memory. Secrets go through the launch file that argv
   * names.
   */
  readonly env: Readonly<Record<string, string>>
  readonly argv: readonly string[]
  readonly columns: number
  readonly rows: number
  /**
   * In the window (tab) of this pane, where the multiplexer has windows and there is room in it;
   * absent: in a window of its own.
   */
  readonly beside?: PaneId
  /** Without a terminal: for the detached host. Absent: in a terminal. */
  readonly program?: HeadlessProgram
  /** Absolute path of the file that all output goes to, where there is no terminal. */
  readonly output?: string
  /** The middle of it goes where it grows beyond so many bytes. */
  readonly outputBound?: number
}

export interface Pane {
  readonly paneId: PaneId
  /** From the option or record made at open; null for panes that are not ours. */
  readonly agentId: AgentId | null
  /** Process id of what the pane runs; after exec it is the agent’s. */
  readonly pid: number
  readonly name: string
  /** What `rename` was asked to show (shown-key.ts); absent where nothing but the name is shown. */
  readonly shown?: string
  /**
   * What the program calls its terminal (OSC 0 and 2); null where it said nothing, undefined where
   * that can’t be determined: the name hides it.
   */
  readonly title: string | null | undefined
  readonly dead: boolean
  /**
   * Of a dead pane: one of the two, where the multiplexer reports it; neither while the program,
   * cut off from its terminal, has not ended yet.
   */
  readonly exitCode: number | null
  readonly exitSignal: string | null
  /**
   * Of a dead pane: when its program ended (ms since the epoch); null or absent where the
   * multiplexer does not report it.
   */
  readonly endedAt?: number | null
  /** Copy mode or another mode in which typed text does not reach the program. */
  readonly inMode: boolean
  /**
   * The program that the pane was opened with reads the terminal (no other process group does);
   * null where the system does not say.
   */
  readonly foreground: boolean | null
  /**
   * A human is looking at this pane and typed at that time (ms since the epoch); null for nobody.
   */
  readonly humanActiveAt: number | null
  /**
   * Keys of the last pastes that reached it, oldest first (pane-trace.ts); undefined where that
   * can’t be determined.
   */
  readonly pasted: readonly string[] | undefined
  /** Keys of the last pastes that Enter was pressed for; undefined as above. */
  readonly entered: readonly string[] | undefined
}

/**
 * `busy`: a mode or a human is in the way, nothing was typed. `dead`, `gone`: nothing was typed.
 */
export type TypeResult =
  | { kind: 'typed' }
  | { kind: 'dead' }
  | { kind: 'gone' }
  | { kind: 'busy'; reason: string }

/**
 * Terminals for agents. Panes are addressed by id only, never by name. Implementations pass
 * test/conformance/multiplexer.test.ts. Throws MULTIPLEXER_UNAVAILABLE where it does not answer,
 * PANE_GONE for reads of a pane that is not there.
 */
export interface Multiplexer {
  readonly name: 'tmux' | 'zellij' | 'headless'
  /** Starts the session or host where it is not running. */
  start(): Promise<void>
  open(options: OpenPane): Promise<{ paneId: PaneId; pid: number }>
  /** All panes of our own server, dead ones included. One round trip. */
  list(): Promise<Pane[]>
  inspect(paneId: PaneId): Promise<Pane | undefined>
  /**
   * One bracketed paste of exactly this text; control characters must have been removed by the
   * caller. No Enter. The pane remembers `key` in the same step: whether it was pasted can be
   * determined after a crash.
   */
  paste(paneId: PaneId, text: string, key?: string): Promise<TypeResult>
  /** `key`: of the paste that it submits, remembered in the same way. */
  pressEnter(paneId: PaneId, key?: string): Promise<TypeResult>
  pressEscape(paneId: PaneId): Promise<TypeResult>
  /**
   * Text of the screen and the last `lines` of scrollback, without escape sequences. Works on dead
   * panes.
   */
  capture(paneId: PaneId, options?: { lines?: number }): Promise<string>
  /**
   * The rows of the screen as they are shown, with the escape sequences (SGR) of colours and
   * attributes. With `lines` also so many of the scrollback, and wrapped lines joined.
   */
  captureStyled(paneId: PaneId, options?: { lines?: number }): Promise<string>
  rename(paneId: PaneId, name: string, shown?: Shown): Promise<void>
  /** Ends the program (hang-up, then kill) and takes the pane away. Gone already is fine. */
  close(paneId: PaneId): Promise<void>
  /** The same of many at once: no program has to wait for another’s end. */
  closeAll(paneIds: readonly PaneId[]): Promise<void>
  /**
   * Ends what an agent’s program left running whose pane is gone: somebody closed it by hand, or
   * the server ended.
   */
  endLeftBehind(agentId: AgentId): Promise<void>
  /** Called once per pane when its program ends or the pane disappears. Returns how to stop. */
  onDeath(
    listener: (pane: {
      paneId: PaneId
      agentId: AgentId | null
      exitCode: number | null
      exitSignal: string | null
    }) => void,
  ): () => void
  /**
   * What a person runs to see the pane; undefined where nothing can show it. Inside a client of the
   * same server it switches there.
   */
  attachCommand(paneId: PaneId): readonly string[] | undefined
  /**
   * The same where a viewer shows panes: it is taken there. `inside`: name of the Zellij session
   * that the person is in.
   */
  readonly show?: (paneId: PaneId, inside?: string) => Promise<readonly string[]>
  /**
   * Shows it to a person on a surface of ours. A look never resizes a pane; who types leads as in
   * any terminal (size-policy.ts). Ends with this process. PANE_GONE.
   */
  view(paneId: PaneId, options: ViewOptions): Promise<PaneView>
  /** Ends all panes and the server or host of ours. */
  shutdown(): Promise<void>
  /** Lets go of it; panes live on. */
  dispose(): Promise<void>
}

/** One that owns the terminals, which a viewer can show. */
export interface Holder extends Multiplexer {
  attachCommand(paneId: PaneId): readonly string[]
  /**
   * What shows exactly this pane in the terminal it runs in, again and again: without keys or a
   * line of its own. It ends when the pane goes, its own end takes nothing along, and only what is
   * typed into it counts as somebody’s being there.
   */
  viewCommand(paneId: PaneId): readonly string[]
}
