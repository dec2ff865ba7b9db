import type { z } from 'zod'
import type { Core } from '../core/core.ts'
import type { Caller } from '../domain/caller.ts'
import type { OnceContext } from '../core/once.ts'
import type { TakeReceipt } from '../core/mail/receipt.ts'
import type { SubagentEvent } from '../core/sessions/subagent-progress.ts'

/**
 * Who may call a tool: roles of agents, and the human. Custom roles get what their list names among
 * the tools of `tl`.
 */
export type Audience = 'tl' | 'dev' | 'human'

export interface ToolContext {
  readonly core: Core
  readonly caller: Caller
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /**
   * Reports to a waiting caller how far it is, in words (none: `''`) and, where there are such,
   * facts for a display; may be dropped.
   */
  readonly progress: (message: string, event?: SubagentEvent) => void
  /**
   * For what the result takes away from where it waited: called with whether the result reached the
   * caller whole.
   */
  readonly consumed: TakeReceipt
  /** Of a call under an idempotency key. */
  readonly once?: OnceContext
}

/**
 * A command of `exomonad` that is the tool: what its schema doesn’t say of that. Plain data, of
 * which `npm run docs` makes what surfaces/cli/tool-command.ts reads.
 */
export interface ToolCommand<Field extends string = string> {
  /** `kill`, or in a group `pr list`. */
  readonly name: string
  readonly summary: string
  /**
   * Fields of the input as help has them, arguments in their order: `<agent>`, `<message...>`,
   * `-q, --question <id>`. After two spaces follows what it is, where the schema has other words.
   * The name in the brackets says how a value is read (`duration`, `pr`) and completed (`agent`).
   */
  readonly fields?: { readonly [Key in Field]?: string }
  /** What fields are that are left out, where the schema has no default. */
  readonly given?: { readonly [Key in Field]?: unknown }
  /** What else is to be known, at the end of its help. */
  readonly notes?: string
  /** Whole lines, each with `exomonad` in it. */
  readonly examples: readonly string[]
}

type FieldOf<Input extends z.ZodObject> = Extract<keyof Input['shape'], string>

type Effect = 'reads' | 'changes' | 'ends'

export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Name extends string = string,
> {
  /** snake_case, as models see it. */
  readonly name: Name
  /** Two or three sentences with the decision criterion in them. */
  readonly description: string
  readonly audience: readonly Audience[]
  /**
   * What it does to the tree; default `changes`. `reads` changes nothing, `ends` takes away what
   * can’t be had back (a running agent, a worktree). A function where the input decides.
   */
  readonly effect?: Effect | ((input: z.output<Input>) => Effect)
  /**
   * Shown in tools/list. The others work when called: deprecated names, and what only people use.
   */
  readonly listed: boolean
  /** A person may do it beside any agent that they act for: its role is not asked. */
  readonly forAnyAgent?: true
  /** What to use instead; the result carries it as a warning. */
  readonly deprecated?: string
  readonly input: Input
  /**
   * Fields of input and result that stay byte for byte; all other text goes through the gate
   * (src/sanitize).
   */
  readonly exact?: readonly string[]
  /** It takes an idempotency key: asked for again under the same, it is not done again. */
  readonly keyed?: true
  /**
   * Makes of what was given what the schema takes, where a fault of one part is to be reported for
   * that part alone, by the handler.
   */
  readonly prepare?: (given: unknown) => unknown
  readonly output: Output
  readonly command?:
    | ToolCommand<FieldOf<Input>>
    | readonly ToolCommand<FieldOf<Input>>[]
    | undefined
  /** Asked where a caller may not use it: throws what says more than that. */
  readonly refused?: (context: Pick<ToolContext, 'core' | 'caller'>) => Promise<void>
  readonly handler: (context: ToolContext, input: z.output<Input>) => Promise<z.input<Output>>
}

/** One tool, one file: schema, words and handler. MCP, HTTP and CLI are derived from it. */
export const defineTool = <
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Name extends string,
>(
  tool: Tool<Input, Output, Name>,
): Tool<Input, Output, Name> => tool

/** What the registry holds: the types are checked where each tool is defined. */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools of different shapes has no narrower type
export type AnyTool = Tool<any, any>

/** The first sentence of what it says of itself. */
export const summaryOf = ({ description }: Pick<AnyTool, 'description'>): string =>
  (description.split(/(?<=\.) |\n/)[0] ?? '').replace(/\.$/, '')
