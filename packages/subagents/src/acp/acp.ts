import type { StartPiped } from '../processes/start-piped.ts'

/**
 * The client side of the Agent Client Protocol (version 1), in plain objects.
 * https://agentclientprotocol.com
 */

export interface AcpOptions {
  readonly start: StartPiped
  /** What it is called in errors and warnings. */
  readonly name: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly handlers: AcpHandlers
  /**
   * Longest that it may take to say who it is, and to make or load a session. Milliseconds; the
   * default is 60,000.
   */
  readonly startTimeout?: number
  /** Between asking its process group to end and killing it. Milliseconds; the default is 5,000. */
  readonly grace?: number
  /**
   * Longest that a turn may take to end once it was cancelled; after that the program is ended.
   * Milliseconds; the default is 10,000.
   */
  readonly cancelTimeout?: number
}

/** What the agent may ask of its client. What is absent is not offered to it. */
export interface AcpHandlers {
  /**
   * In the order of the stream; what comes after waits for a promise. Also for sessions and times
   * in which no turn is under way.
   */
  readonly update?: (sessionId: string, update: AcpUpdate) => void | Promise<void>
  /**
   * Absent: refused. The signal aborts when the turn is cancelled or the agent ends: whatever is
   * answered then, it is sent `cancelled`.
   */
  readonly permission?: (
    sessionId: string,
    question: AcpPermission,
    signal: AbortSignal,
  ) => Promise<AcpPermissionAnswer>
  readonly readTextFile?: (file: {
    readonly sessionId: string
    readonly path: string
    readonly line: number | null
    readonly limit: number | null
  }) => Promise<string>
  readonly writeTextFile?: (file: {
    readonly sessionId: string
    readonly path: string
    readonly content: string
  }) => Promise<void>
  readonly terminals?: AcpTerminals
  /**
   * Whether an error that one of these threw refuses what was asked for; else it failed. Absent: all
   * have failed.
   */
  readonly isRefusal?: (error: unknown) => boolean
  /**
   * Something is odd, and it goes on: a malformed frame, an answer that nobody asked for. Each kind
   * is said once.
   */
  readonly warn?: (message: string) => void
  /** What it writes to its standard error. */
  readonly stderr?: (text: string) => void
}

export interface AcpTerminals {
  create(terminal: {
    readonly sessionId: string
    readonly command: string
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
    readonly cwd: string | null
    readonly outputByteLimit: number | null
  }): Promise<string>
  output(id: string): {
    readonly output: string
    readonly truncated: boolean
    readonly exit: AcpExit | null
  }
  ended(id: string, signal: AbortSignal): Promise<AcpExit>
  kill(id: string): Promise<void>
  release(id: string): Promise<void>
  /** Ends all of them. */
  close(): Promise<void>
}

/** One of the two; neither where it could not be determined. */
export interface AcpExit {
  readonly exitCode: number | null
  readonly signal: string | null
}

export type AcpToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

export interface AcpTool {
  readonly id: string
  /** What a person reads; null in an update that doesn’t change it. */
  readonly title: string | null
  /**
   * `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `switch_mode`,
   * `other`.
   */
  readonly kind: string | null
  readonly status: AcpToolStatus | null
  /** Its input in short: the path, the command, or JSON. At most 2,000 characters. */
  readonly detail: string | null
  /** Text of its result so far; null where the update has none. */
  readonly output: string | null
}

/**
 * What a `session/update` said. Whatever it holds that is not known or makes no sense is `other`.
 */
export type AcpUpdate =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  /** The person’s words, when a session is loaded. */
  | { readonly kind: 'user'; readonly text: string }
  /**
   * `first`: it was announced by this (`tool_call`); else a `tool_call_update`, perhaps of one that
   * never was.
   */
  | { readonly kind: 'tool'; readonly first: boolean; readonly tool: AcpTool }
  | {
      readonly kind: 'plan'
      readonly entries: readonly { readonly content: string; readonly status: string }[]
    }
  | { readonly kind: 'commands'; readonly names: readonly string[] }
  | { readonly kind: 'mode'; readonly id: string }
  /** Tokens in the context now and those that fit in; not what was used up. */
  | { readonly kind: 'usage'; readonly used: number; readonly size: number }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'other'; readonly name: string }

export interface AcpPermission {
  readonly tool: AcpTool
  readonly options: readonly {
    readonly id: string
    readonly name: string
    readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
  }[]
}

/** `allow`, `deny`: the option that fits is taken, the one for once before the one for always. */
export type AcpPermissionAnswer = 'allow' | 'deny' | 'cancelled' | { readonly optionId: string }

export interface AcpCapabilities {
  /** How it calls itself; null where it doesn’t. */
  readonly name: string | null
  readonly version: string | null
  /**
   * It can take up an old session, with its history sent again (`session/load`) or without
   * (`session/resume`).
   */
  readonly load: 'load' | 'resume' | null
  readonly mcpHttp: boolean
  readonly authMethods: readonly {
    readonly id: string
    readonly name: string
    readonly description: string | null
  }[]
}

export interface AcpChoice {
  readonly id: string
  readonly name: string
}

/** Tokens by model. */
export interface AcpUsage {
  readonly models: Readonly<Record<string, AcpTokens>>
}

export interface AcpTokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/**
 * Why a turn ended, in the protocol’s words: `end_turn`, `max_tokens`, `max_turn_requests`,
 * `refusal`, `cancelled`.
 */
export interface AcpTurn {
  readonly stopReason: string
  /** Of this turn, where the agent reports it. */
  readonly usage: AcpUsage | null
}

export interface AcpSession {
  readonly id: string
  /** Whether an old one was taken up. */
  readonly loaded: boolean
  /** Empty where it offers none. */
  models(): readonly AcpChoice[]
  model(): string | null
  modes(): readonly AcpChoice[]
  mode(): string | null
  /** Throws INVALID_ARG with what is offered. */
  setModel(id: string): Promise<void>
  /** Throws INVALID_ARG with what is offered. */
  setMode(id: string): Promise<void>
  /**
   * One turn. Aborting the signal cancels it (`session/cancel`): it then ends as `cancelled`, or
   * throws once `cancelTimeout` is over and the program was ended for it. Throws NOT_AVAILABLE,
   * with what is known of why, where the agent ends or answers with an error.
   */
  prompt(text: string, signal?: AbortSignal): Promise<AcpTurn>
}

/**
 * An MCP server that a session is given, in the shape of the Agent Client Protocol. Secrets stand
 * in here: never logged, never in argv.
 */
export type AcpMcpServer =
  | {
      readonly type: 'http'
      readonly name: string
      readonly url: string
      readonly headers: readonly { readonly name: string; readonly value: string }[]
    }
  | {
      readonly type: 'stdio'
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly { readonly name: string; readonly value: string }[]
    }

export interface AcpConnection {
  readonly pid: number
  readonly capabilities: AcpCapabilities
  /**
   * The servers that it can use: those over HTTP where it can, of the same name else those on
   * stdio.
   */
  newSession(options: {
    readonly cwd: string
    readonly mcpServers: readonly AcpMcpServer[]
  }): Promise<AcpSession>
  /** Throws INVALID_ARG where it can’t load sessions. */
  loadSession(options: {
    readonly sessionId: string
    readonly cwd: string
    readonly mcpServers: readonly AcpMcpServer[]
  }): Promise<AcpSession>
  /** Resolves when its program has ended; never rejects. `stderr`: its last lines. */
  readonly ended: Promise<AcpExit & { readonly stderr: string }>
  /** Ends its process group: SIGTERM, then SIGKILL. Resolves when the program has ended. */
  close(): Promise<AcpExit & { readonly stderr: string }>
}

/**
 * Starts the program and says hello. Throws AGENT_CLI_MISSING where it can’t be started,
 * SPAWN_FAILED where it ends, says nothing in time or speaks another version of the protocol; by
 * then it was ended.
 */
export type OpenAcp = (options: AcpOptions) => Promise<AcpConnection>
