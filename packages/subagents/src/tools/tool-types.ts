export interface ToolDefinition {
  /** `a`–`z`, `A`–`Z`, digits, `_` and `-`, at most 64: what every agent program can call. */
  readonly name: string
  /** When to choose the tool: models decide by this. */
  readonly description: string
  readonly parameters: Readonly<Record<string, ToolParameter>>
  readonly category: ToolCategory
}

export interface ToolCallRequest {
  /** Identifies the call; two calls under way at once never share one. */
  readonly id: string
  readonly name: string
  readonly arguments: ToolArguments
}

export interface ToolCallResult {
  /** The request’s. */
  readonly id: string
  readonly name: string
  /** The handler’s output, or what went wrong and what to do. */
  readonly output: string
  readonly isError: boolean
  readonly durationMs: number
}

/** What a tool does, for whoever filters or displays tools. */
export type ToolCategory =
  | 'read'
  | 'edit'
  | 'search'
  | 'execute'
  | 'memory'
  | 'vfs'
  | 'task'
  | 'subagent'
  | 'other'

export interface ToolParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly description: string
  /** A call without it is answered with an error and never reaches the handler. */
  readonly required?: boolean | undefined
  /** The only values allowed, where not all are. */
  readonly enum?: readonly (string | number)[] | undefined
  /** Of an array: JSON Schema of its items. */
  readonly items?: Readonly<Record<string, unknown>> | undefined
}

export type ToolArguments = Readonly<Record<string, unknown>>
