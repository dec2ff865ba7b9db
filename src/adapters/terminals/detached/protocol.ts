import type { AgentId, PaneId } from '../../../domain/ids.ts'
import type { Hello, HostAnswer } from '../../../processes/host/framing.ts'
import type { ChannelResult, HostedSession, Written } from '../headless.ts'
import type { AcpLaunch } from '../headless-program.ts'
import type { TypeResult } from '../holder.ts'

/**
 * Raised when host and daemon could misunderstand each other; a host lives longer than the daemon
 * that started it.
 */
export const PROTOCOL = 2

/** Milliseconds between SIGTERM and SIGKILL, of what runs without a terminal. */
export const KILL_GRACE = 5000

/** A pane as the host keeps it. What may be absent is so in hosts of before. */
export interface HeldPane {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly name: string
  /** What the program called its terminal. */
  readonly title?: string | null
  readonly pid: number
  readonly dead: boolean
  readonly exitCode: number | null
  readonly exitSignal: string | null
  /** Milliseconds since the epoch. */
  readonly endedAt?: number | null
  readonly humanActiveAt?: number | null
  readonly pasted?: string | null
  readonly entered?: string | null
}

/**
 * What is started: on a terminal, on pipes, or a program that speaks the Agent Client Protocol on
 * its standard streams.
 */
export type OpenTakes = {
  /** Makes opening repeatable: the second time returns the first pane. */
  readonly openId: string
  readonly agentId: AgentId
  readonly name: string
  readonly cwd: string
  readonly env: Record<string, string>
  readonly argv: string[]
  readonly columns: number
  readonly rows: number
} & (
  | { readonly kind: 'terminal' }
  | ({ readonly kind: 'process' } & OutputTakes)
  | ({ readonly kind: 'acp'; readonly session: AcpLaunch } & OutputTakes)
)

interface OutputTakes {
  /** Absolute path; null for none. */
  readonly output: string | null
  /** Bytes; absent for no bound. */
  readonly outputBound?: number
}

/** What can be asked of the host. */
export interface Verbs {
  hello: { takes: object; gives: Hello }
  open: { takes: OpenTakes; gives: { paneId: PaneId; pid: number } }
  list: { takes: object; gives: HeldPane[] }
  /** `key`: the pane remembers it. */
  paste: { takes: { paneId: PaneId; text: string; key: string | null }; gives: TypeResult }
  /** `submits`: key of the paste that Enter is for. */
  key: { takes: { paneId: PaneId; key: 'enter' | 'escape'; submits?: string }; gives: TypeResult }
  write: { takes: { paneId: PaneId; data: string }; gives: Written }
  /**
   * `styled`: the rows of the screen, or the last lines of output, with their colours and
   * attributes.
   */
  capture: {
    takes: { paneId: PaneId; lines: number; styled: boolean }
    gives: { text: string } | null
  }
  rename: { takes: { paneId: PaneId; name: string }; gives: boolean }
  /**
   * Ends their processes, all that they ever started included, and waits until their ends were
   * noticed. `grace`: milliseconds that programs on terminals have.
   */
  end: { takes: { paneIds: readonly PaneId[]; grace: number }; gives: boolean }
  /** Forgets it. */
  remove: { takes: { paneId: PaneId }; gives: boolean }
  session: { takes: { paneId: PaneId }; gives: HostedSession | null }
  prompt: { takes: { paneId: PaneId; text: string }; gives: ChannelResult | null }
  mentions: { takes: { paneId: PaneId; words: readonly string[] }; gives: readonly string[] | null }
  /**
   * From here on the connection shows the terminal: frames come, `input` and `resize` go.
   * `readOnly`, `embedded`: size-policy.ts. `whole`: all of the terminal is drawn, whatever size it
   * has.
   */
  view: {
    takes: {
      paneId: PaneId
      columns: number
      rows: number
      readOnly?: boolean
      embedded?: boolean
      whole?: boolean
    }
    gives: boolean
  }
  /** From here on the connection gets what a pane without a terminal says, after its last lines. */
  follow: { takes: { paneId: PaneId }; gives: boolean }
  shutdown: { takes: object; gives: boolean }
}

/** What a viewer sends after `view`. */
export type ViewerInput =
  | { readonly input: string }
  | { readonly resize: { readonly columns: number; readonly rows: number } }

/** To one that follows. `ended`: no more comes; `how` in words. */
export type FollowMessage =
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'ended'; readonly how: string }
  | { readonly event: 'left' }

/** Of the terminal, and who has it that size; absent in hosts of before. */
export interface FrameSize {
  readonly columns?: number
  readonly rows?: number
  readonly leads?: 'this' | 'other' | null
}

/**
 * `changed`: a pane died or went. `frame`: bytes for a viewer's terminal. `left`: what it viewed is
 * gone.
 */
export type HostMessage =
  | HostAnswer
  | ({ readonly event: 'frame'; readonly bytes: string; readonly title: string } & FrameSize)
  | { readonly event: 'left' }
