/**
 * What tools, loops and subagents are made of: plain, frozen data and plain functions. Times are
 * milliseconds. Names and shapes are meant to stay: they are the package’s public interface.
 */
import type { ACPAgentToolCall, ACPClient, ACPTokenUsage } from '../client/acp-types.ts'
import type { Conversation } from './conversation.ts'
import type {
  ToolCallRequest,
  ToolCallResult,
  ToolDefinition,
  ToolArguments,
} from '../tools/tool-types.ts'

export interface ToolContext {
  /**
   * Aborted when nobody waits for this call any more: the caller gave up, its loop ended, or its
   * agent cancelled.
   */
  readonly signal: AbortSignal
  /** The call being answered. */
  readonly call: ToolCallRequest
}

/**
 * Returns the output for the model. What it throws becomes a result with `isError` and the error’s
 * message.
 */
export type ToolHandler = (args: ToolArguments, context: ToolContext) => Promise<string> | string

export interface ToolRegistry {
  /** Throws INVALID_ARG for a name that is taken or that agent programs could not call. */
  register(definition: ToolDefinition, handler: ToolHandler): void
  /** Returns whether there was one. */
  unregister(name: string): boolean
  has(name: string): boolean
  getToolDefinition(name: string): ToolDefinition | undefined
  /** In the order in which they were registered. */
  getToolDefinitions(): readonly ToolDefinition[]
  /**
   * Runs a tool. Never rejects: an unknown name, wrong arguments, a handler’s error and an abort
   * are results with `isError`. An abort gives a result within a second, whether or not the handler
   * heeds its signal.
   */
  execute(
    call: ToolCallRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolCallResult>
  readonly toolCount: number
}

/**
 * What subagents report, of whatever depth. For each id: Start, then deltas and tool calls as they
 * happen (each call’s start before its end), then Complete or Error, once and never both. Nothing
 * follows. What a callback throws, at once or in a promise, is a warning of the process, and
 * changes nothing of the subagent.
 */
export interface SubagentCallbacks {
  readonly onSubagentStart?: ((info: SubagentInfo) => void) | undefined
  readonly onSubagentStreamDelta?: ((id: string, text: string) => void) | undefined
  readonly onSubagentToolCallStart?: ((id: string, call: ToolCallRequest) => void) | undefined
  readonly onSubagentToolCallEnd?: ((id: string, result: ToolCallResult) => void) | undefined
  readonly onSubagentComplete?: ((id: string, result: SubagentResult) => void) | undefined
  readonly onSubagentError?: ((id: string, error: Error) => void) | undefined
}

/**
 * What a loop reports while it runs, in order. What a callback throws, at once or in a promise, is
 * a warning of the process and changes nothing of the run: to end it, abort its signal. Those of
 * subagents are here too, so that one object can be given to both; they are called by who
 * registered subagents, never by the loop.
 */
export interface LoopCallbacks extends SubagentCallbacks {
  readonly onStreamStart?: (() => void) | undefined
  readonly onStreamDelta?: ((text: string) => void) | undefined
  /** A tool of the registry is called. */
  readonly onToolCallStart?: ((call: ToolCallRequest) => void) | undefined
  readonly onToolCallEnd?: ((result: ToolCallResult) => void) | undefined
  /**
   * The agent uses a tool of its own, or that changes: these run in the agent, not in the registry.
   */
  readonly onAgentToolCall?: ((call: ACPAgentToolCall) => void) | undefined
  readonly onAgentToolCallUpdate?: ((call: ACPAgentToolCall) => void) | undefined
  /** A round of the model begins; the first is 1. */
  readonly onTurn?: ((turn: number) => void) | undefined
  /** Once, before `run` rejects with the same error. */
  readonly onError?: ((error: Error) => void) | undefined
}

export interface LoopOptions {
  readonly acpClient: ACPClient
  /** The agent can call these, beside whatever tools it has itself. */
  readonly toolRegistry: ToolRegistry
  /** Grows by what is said. Runs with one conversation are turns of one session of the agent. */
  readonly conversation: Conversation
  /** Rounds of the model before the session is cancelled; 10. */
  readonly maxTurns?: number | undefined
  /** Default: the client’s. */
  readonly serverName?: string | undefined
  readonly agentId?: string | undefined
  /** Stands in front of the session’s first prompt; default: the conversation’s. */
  readonly systemPrompt?: string | undefined
  /** Ends every run of this loop; `run` takes one for itself alone. */
  readonly signal?: AbortSignal | undefined
  /**
   * Keep the agent’s session after a run, for the next with the same conversation; true. Without, a
   * run begins with what the conversation has, written as text.
   */
  readonly keepSession?: boolean | undefined
}

export interface LoopResult {
  /** What the model said last, after its last tool call. */
  readonly finalText: string
  /** Rounds of the model; never more than `maxTurns`. */
  readonly totalTurns: number
  /**
   * The session was cancelled because the model wanted another round; `finalText` is what there
   * was.
   */
  readonly hitTurnLimit: boolean
  /**
   * In the agent’s words (`end_turn`, `max_tokens`, `refusal`, `cancelled` …), where it says so.
   */
  readonly stopReason?: string | undefined
  /** Calls of the registry’s tools. */
  readonly toolCalls: number
  readonly totalUsage?: ACPTokenUsage | undefined
  readonly durationMs: number
}

export interface AgenticLoop {
  /**
   * Prompts the agent and follows it to its end. Rejects with the agent’s error, or the signal’s
   * reason when that is aborted; the session is cancelled then.
   */
  run(
    task: string,
    callbacks?: LoopCallbacks,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoopResult>
}

/** Frozen. */
export interface SubagentInfo {
  /** `sub_1`, `sub_2` …: never twice in one process. */
  readonly id: string
  /** What it does, in a few words. */
  readonly description: string
  readonly mode: 'spawn' | 'delegate'
  /** Of a subagent’s own subagent: who started it. Not there otherwise. */
  readonly parentId?: string
}

/** Frozen. */
export interface SubagentResult {
  readonly text: string
  /** Rounds of the model; 1 for `delegate`. */
  readonly turns: number
  readonly durationMs: number
}

export interface SubagentToolsOptions {
  readonly acpClient: ACPClient
  /** The parent’s own tools, which its children inherit. */
  readonly toolRegistry: ToolRegistry
  readonly callbacks?: SubagentCallbacks | undefined
  /** 10. */
  readonly defaultMaxTurns?: number | undefined
  /** Levels of subagents below the caller; 2. */
  readonly maxDepth?: number | undefined
  readonly serverName?: string | undefined
  readonly agentId?: string | undefined
  /** Of children that are given none. */
  readonly systemPrompt?: string | undefined
}
