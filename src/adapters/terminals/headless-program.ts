import type { AcpMcpServer } from '../../../packages/subagents/src/acp/acp.ts'

export type { AcpMcpServer } from '../../../packages/subagents/src/acp/acp.ts'

/** What runs without a terminal. */
export type HeadlessProgram =
  | { readonly kind: 'process' }
  | { readonly kind: 'acp'; readonly session: AcpLaunch }

/** What a program that speaks the Agent Client Protocol on its standard streams is started with. */
export interface AcpLaunch {
  /** By preference: the first kind that the agent can use is taken. */
  readonly mcpServers: readonly AcpMcpServer[]
  /** Sent as soon as the session is there; null for none. */
  readonly prompt: string | null
  /** The session to load, where the agent can; else a new one, with a warning in its log. */
  readonly load: string | null
  /** In the agent’s own words; what it doesn’t offer fails the start, with what it does. */
  readonly model: string | null
  readonly mode: string | null
  /** Who decides over what it asks permission for. `ask`: the daemon is asked, and a person. */
  readonly permission: 'allow' | 'deny' | 'ask'
  /**
   * What is allowed without asking: beginnings of the tool call’s title, or its kind (`read`,
   * `edit`, `execute` …).
   */
  readonly allow: readonly string[]
  /** After so many rounds of the model the turn is cancelled; null for no limit. */
  readonly maxTurns: number | null
  /** Folder that its file and terminal requests are confined to. */
  readonly root: string
  /** What its terminals run with. */
  readonly env: Readonly<Record<string, string>>
  /** What they are started behind: limits and sandbox of the agent hold them too. */
  readonly behind?: readonly string[]
  /**
   * Its program is in a sandbox: files and terminals are its own business there, and none are
   * offered that this process, outside, would have to keep inside.
   */
  readonly confined?: boolean
  /**
   * How the daemon is notified: `POST /v1/hooks/program/<event>` on this socket with the token in
   * this file; without an answer into the spool.
   */
  readonly daemon: {
    readonly socket: string
    readonly authFile: string
    readonly spool: string
    readonly stopTimeout: number
  }
}
