/**
 * A client of agents that speak the Agent Client Protocol, as loops and subagents use it.
 * `createAcpClient` makes a real one; tests bring their own.
 */
import type { ToolCallRequest, ToolCallResult, ToolDefinition } from '../tools/tool-types.ts'

export interface ACPChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Tokens, as far as the agent reports them. */
export interface ACPTokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
}

/** A tool that the agent runs itself. */
export interface ACPAgentToolCall {
  readonly id: string
  readonly title: string
  /** `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other` … */
  readonly kind: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed'
  /** Its input in short, where the agent reports it: the path, the command, or JSON. */
  readonly detail?: string | undefined
  /** Text of its result so far, where the agent reports it. */
  readonly output?: string | undefined
}

/** Unknown kinds may be added: ignore what you do not know. */
export type ACPStreamChunk =
  | { readonly type: 'delta'; readonly text: string }
  /** The model thinks aloud; no part of its answer. */
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'tool_call'; readonly toolCall: ACPAgentToolCall }
  | { readonly type: 'tool_call_update'; readonly toolCall: ACPAgentToolCall }
  /** The last one. */
  | {
      readonly type: 'complete'
      readonly usage?: ACPTokenUsage | undefined
      readonly stopReason?: string | undefined
      readonly sessionId?: string | undefined
    }

/**
 * Tools that a session is given. Changes of `definitions` reach agents when they next list them.
 */
export interface ACPToolSource {
  definitions(): readonly ToolDefinition[]
  execute(call: ToolCallRequest, options: { readonly signal: AbortSignal }): Promise<ToolCallResult>
}

export interface ACPGenerateOptions {
  /** Default: the server that has `agentId`, else the client’s default. */
  readonly serverName?: string | undefined
  readonly agentId?: string | undefined
  /** Stands in front of a session’s first prompt: the protocol has no other place for it. */
  readonly systemPrompt?: string | undefined
  /** What was said before, written as text in front of a new session’s first prompt. */
  readonly history?: readonly ACPChatMessage[] | undefined
  /** A session that there is (of `listSessions`, `loadSession` or an earlier answer). */
  readonly sessionId?: string | undefined
  /**
   * Calls with the same object share one session. Without it and `sessionId` a session is made, and
   * closed after the answer.
   */
  readonly conversation?: object | undefined
  readonly tools?: ACPToolSource | undefined
  /** Cancels the turn; the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

export interface ACPGenerateResult {
  readonly content: string
  readonly agentId: string
  readonly serverName: string
  readonly sessionId: string
  readonly usage?: ACPTokenUsage | undefined
  readonly stopReason?: string | undefined
}

export interface ACPEmbedResult {
  readonly embeddings: readonly (readonly number[])[]
  readonly agentId: string
  readonly serverName: string
}

export interface ACPAgentInfo {
  readonly id: string
  readonly name: string
  readonly version?: string | undefined
  readonly serverName?: string | undefined
}

/** What an agent asks leave for. */
export interface ACPPermissionRequest {
  readonly serverName: string
  readonly sessionId: string
  readonly toolCall: ACPAgentToolCall
}

/** Who decides over what agents ask leave for; a function that throws refuses. */
export type ACPPermissionPolicy =
  | 'allow'
  | 'deny'
  | ((request: ACPPermissionRequest) => Promise<'allow' | 'deny'> | 'allow' | 'deny')

export interface ACPServerHealth {
  /**
   * `stopped`: not started yet, or disposed. `failed`: it did not start, or ended by itself; the
   * next call starts it again.
   */
  readonly state: 'stopped' | 'starting' | 'ready' | 'failed'
  readonly pid: number | null
  /** Milliseconds since it was started; 0 unless it runs. */
  readonly uptimeMs: number
  readonly lastError: string | null
}

export interface ACPSessionInfo {
  readonly sessionId: string
  readonly serverName: string
  readonly cwd: string
  readonly mode: string | null
  readonly model: string | null
  readonly modes: readonly string[]
  readonly models: readonly string[]
}

/**
 * Methods start what they need. They reject with an ExomonadError: INVALID_ARG for a server, agent,
 * session, mode or model that is not there (the message lists those that are), AGENT_CLI_MISSING
 * for a program that is not there, NOT_AVAILABLE for one that fails or lacks an ability.
 */
export interface ACPClient {
  /** Starts every server and negotiates; without it each is started when it is first needed. */
  initialize(): Promise<void>
  /**
   * Ends every session and every process, and waits until they are gone. Calls under way reject.
   */
  dispose(): Promise<void>
  listAgents(serverName?: string): Promise<readonly ACPAgentInfo[]>
  getAgent(agentId?: string, serverName?: string): Promise<ACPAgentInfo>
  /** One prompt, one answer. */
  generate(prompt: string, options?: ACPGenerateOptions): Promise<ACPGenerateResult>
  /**
   * Sends the last message, which is the user’s; those before it are sent as text, `system` ones
   * as the system prompt.
   */
  chat(
    messages: readonly ACPChatMessage[],
    options?: ACPGenerateOptions,
  ): Promise<ACPGenerateResult>
  /** The same as `generate`, as it happens. Leaving the iteration early cancels the turn. */
  generateStream(prompt: string, options?: ACPGenerateOptions): AsyncIterable<ACPStreamChunk>
  /** The protocol has no embeddings: the real client rejects with NOT_AVAILABLE. */
  embed(
    input: string | readonly string[],
    options?: { readonly serverName?: string | undefined; readonly agentId?: string | undefined },
  ): Promise<ACPEmbedResult>
  /** Whether the server answers; starts it if need be. Never rejects. */
  isAvailable(serverName?: string): Promise<boolean>
  setPermissionPolicy(policy: ACPPermissionPolicy): void
  /** Undefined for a server that there is not. */
  getServerHealth(serverName?: string): ACPServerHealth | undefined
  /** The sessions that this client holds open. */
  listSessions(serverName?: string): Promise<readonly ACPSessionInfo[]>
  /**
   * Takes up a session that the agent has kept, for `sessionId` of later calls; NOT_AVAILABLE or
   * INVALID_ARG where it can’t.
   */
  loadSession(sessionId: string, serverName?: string): Promise<ACPSessionInfo>
  /**
   * Forgets it: its tools are gone, and its turn is cancelled. What the agent has stored of it is
   * the agent’s.
   */
  deleteSession(sessionId: string, serverName?: string): Promise<void>
  setSessionMode(sessionId: string, mode: string, serverName?: string): Promise<void>
  setSessionModel(sessionId: string, model: string, serverName?: string): Promise<void>
  readonly serverNames: readonly string[]
  readonly serverCount: number
  readonly defaultServerName: string | undefined
  readonly defaultAgent: string | undefined
}
