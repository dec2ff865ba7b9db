import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { ChannelResult } from '../agent-cli/agent-cli.ts'
import type { Usage } from '../../domain/records.ts'
import type { Holder } from './holder.ts'

/** An MCP server that a session is given, in the shape of the Agent Client Protocol. Secrets stand in here: never logged, never in argv. */
export type AcpMcpServer =
  | { readonly type: 'http'; readonly name: string; readonly url: string; readonly headers: readonly { readonly name: string; readonly value: string }[] }
  | {
      readonly type: 'stdio'
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly { readonly name: string; readonly value: string }[]
    }

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
  /** What is allowed without asking: beginnings of the tool call’s title, or its kind (`read`, `edit`, `execute` …). */
  readonly allow: readonly string[]
  /** After so many rounds of the model the turn is cancelled; null for no limit. */
  readonly maxTurns: number | null
  /** Folder that its file and terminal requests are confined to. */
  readonly root: string
  /** What its terminals run with. */
  readonly env: Readonly<Record<string, string>>
  /** Where the daemon hears of it: `POST /v1/hooks/program/<event>` on this socket with the token in this file; without an answer into the spool. */
  readonly daemon: { readonly socket: string; readonly authFile: string; readonly spool: string; readonly stopTimeout: number }
}

/** What runs without a terminal. */
export type HeadlessProgram = { readonly kind: 'process' } | { readonly kind: 'acp'; readonly session: AcpLaunch }

/** `running`: a turn is under way. `waiting`: for a person’s permission. */
export interface HostedSession {
  readonly agentId: AgentId
  readonly sessionId: string | null
  readonly state: 'starting' | 'idle' | 'running' | 'waiting'
  /** What it waits for, or why the last turn ended in the protocol’s words (`end_turn`, `cancelled`, `max_turn_requests`, `refusal` …). */
  readonly reason: string | null
  /** Rounds of the model so far. */
  readonly turns: number
  readonly toolCalls: number
  /** Text of the model’s last message, at most 100,000 characters, its end. */
  readonly lastText: string
  /** Null where the agent doesn’t tell. */
  readonly usage: Usage | null
  readonly models: readonly string[]
  readonly modes: readonly string[]
  /** It can take up an old session. */
  readonly canLoad: boolean
}

/** `full`: so much waits for a program that does not read that no more is taken. */
export type Written = { readonly kind: 'written'; readonly bytes: number } | { readonly kind: 'full' } | { readonly kind: 'closed' } | { readonly kind: 'gone' }

/**
 * The detached host, as its client: holds terminals and whatever runs without one, piped processes and sessions of the Agent Client Protocol, in a
 * process that outlives the daemon. Of those without a terminal: `paste` and `pressEnter` write to a process’s standard input and prompt a session,
 * `pressEscape` cancels its turn, `capture` gives the last lines of output (at most 1000 are kept; the whole stands in the pane’s `output` file).
 * What has ended stays until `close`.
 */
export interface DetachedHolder extends Holder {
  /** Connects to the host where one runs, so that deaths are told; starts none. */
  adopt(): Promise<void>
  /** Writes to a process’s standard input, one call after the other. */
  writeStdin(paneId: PaneId, data: string): Promise<Written>
  /** Undefined for what is no session or not there. */
  session(paneId: PaneId): Promise<HostedSession | undefined>
  /** A turn with this text. Refused while one is under way. */
  prompt(paneId: PaneId, text: string): Promise<ChannelResult>
  /** Which of these stand in its prompts and in results of its tools; null where it is not there any more. */
  mentions(paneId: PaneId, words: readonly string[]): Promise<readonly string[] | null>
}
