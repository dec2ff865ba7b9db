import { z } from 'zod'
import { asExomonadError, ExomonadError } from '../domain/errors.ts'
import type { Core } from '../core/core.ts'
import type { Caller } from '../domain/caller.ts'
import type { OnceContext } from '../core/once.ts'
import type { Receipt, TakeReceipt } from '../core/mail/receipt.ts'
import type { Log } from '../runtime/log.ts'
import type { TextGate } from '../sanitize/text-gate.ts'
import type { AnyTool, ToolContext } from '../tools/define.ts'
import { readOnlyRefusal } from './auth.ts'
import { parseInput } from './parse-input.ts'
import { actsAsHuman, identityOf, mayUse, requireAccess, type RoleTools } from './tool-access.ts'
import { schemasOf } from './tool-schemas.ts'

export interface ToolCall {
  readonly core: Core
  readonly caller: Caller
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /**
   * Of the header Idempotency-Key; the input’s `idempotency_key` says the same. Tools that take
   * none ignore it.
   */
  readonly key?: string | undefined
  readonly progress?: ToolContext['progress']
  /**
   * Takes over what the result takes away, once there is one. Without, every result counts as
   * arrived.
   */
  readonly consumed?: TakeReceipt
  readonly roleTools: RoleTools
  /** What goes in and comes out is kept, sent on and shown. */
  readonly gate: TextGate
  readonly log: Log
}

/**
 * One call of a tool, the same from every surface: role, text gate, input, handler, output, text
 * gate. Throws NOT_ALLOWED, INVALID_ARG with the field, what the handler throws, and INTERNAL for a
 * result that its own schema refuses (logged; the result is not shown).
 */
export async function runTool(tool: AnyTool, call: ToolCall, rawInput: unknown): Promise<unknown> {
  await admit(tool, call)
  const caller = identityOf(call.caller, { tool })
  const { input: inputSchema, output: outputSchema } = schemasOf(tool)
  const { gate } = call
  const prepare = tool.prepare ?? ((given: unknown) => given)
  // Before it is said what else is wrong: nothing would help.
  if (call.caller.readOnly === true && typeof tool.effect !== 'function' && tool.effect !== 'reads')
    throw readOnlyRefusal(tool.name)
  const { given, key } = keyOf(tool, call, rawInput ?? {})
  const input = parseInput(inputSchema, prepare(gate.data(given, tool.exact)), tool.name)
  const reads = isRead(tool, input)
  if (call.caller.readOnly === true && !reads) throw readOnlyRefusal(tool.name)
  if (caller.actedBy !== undefined && !reads)
    await call.core.acting.record(caller.agent, tool.name, caller.actedBy)
  const receipts: Receipt[] = []
  const context = {
    core: call.core,
    caller,
    signal: call.signal,
    progress: call.progress === undefined ? () => {} : throughGate(gate, call.progress),
    consumed: (receipt: Receipt) => receipts.push(receipt),
  }
  const work = (once?: OnceContext) =>
    tool.handler({ ...context, ...(once === undefined ? {} : { once }) }, input)
  const asked =
    key === undefined
      ? work()
      : call.core.once.run({ caller, tool: tool.name, key, input, exact: tool.exact }, work)
  const answered = await asked.catch(async (thrown: unknown) => {
    await giveBack(receipts)
    throw errorThroughGate(gate, thrown)
  })
  const output = outputSchema.safeParse(answered)
  if (!output.success) {
    const issues = output.error.issues.map(({ path, message }) => ({ path, message }))
    call.log.error({ tool: tool.name, issues }, 'a tool’s result does not fit its schema')
    await giveBack(receipts)
    throw new ExomonadError(
      'INTERNAL',
      `${tool.name} was done, but its result has an unexpected shape. See \`exomonad daemon logs\`.`,
      { tool: tool.name },
    )
  }
  for (const receipt of receipts) {
    if (call.consumed === undefined) await receipt.confirm()
    else call.consumed(receipt)
  }
  const result = gate.data(output.data, tool.exact)
  return tool.deprecated === undefined
    ? result
    : withWarning(result, `${tool.name} is deprecated; use ${tool.deprecated}.`)
}

/** Whether a call with this input, which its schema took, changes nothing. */
const isRead = ({ effect }: AnyTool, input: unknown): boolean =>
  (typeof effect === 'function' ? effect(input) : effect) === 'reads'

async function admit(tool: AnyTool, { core, caller, roleTools }: ToolCall): Promise<void> {
  try {
    requireAccess(tool, caller, roleTools)
  } catch (thrown) {
    await tool.refused?.({ core, caller })
    throw thrown
  }
}

/** The key is no argument of the tool’s own: its schema does not know it. */
function keyOf(
  tool: AnyTool,
  call: ToolCall,
  given: unknown,
): { given: unknown; key: string | undefined } {
  if (tool.keyed !== true) return { given, key: undefined }
  if (typeof given !== 'object' || given === null || !('idempotency_key' in given))
    return { given, key: call.key }
  const { idempotency_key: field, ...rest } = given
  if (typeof field !== 'string' || field === '')
    throw new ExomonadError(
      'INVALID_ARG',
      `${tool.name}: idempotency_key must be text, found ${JSON.stringify(field)}.`,
      { field: 'idempotency_key' },
    )
  return { given: rest, key: field }
}

const throughGate =
  (gate: TextGate, progress: ToolContext['progress']): ToolContext['progress'] =>
  (message, event) =>
    progress(gate.text(message), gate.data(event))

function errorThroughGate(gate: TextGate, thrown: unknown): ExomonadError {
  // A fault that nobody foresaw is shown too.
  const error = asExomonadError(thrown)
  const message = gate.text(error.message)
  const facts = gate.data(error.facts)
  return message === error.message && facts === error.facts
    ? error
    : new ExomonadError(error.code, message, facts, { cause: error.cause })
}

async function giveBack(receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of receipts) await receipt.giveBack()
}

function withWarning(result: unknown, warning: string): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result
  const warnings = 'warnings' in result && Array.isArray(result.warnings) ? result.warnings : []
  return { ...result, warnings: [...warnings, warning] }
}

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.core.JSONSchema.BaseSchema
  readonly outputSchema: z.core.JSONSchema.BaseSchema
}

/** The tools a caller may use, sorted by name. `all` adds the unlisted ones, for the human only. */
export const listTools = (
  tools: readonly AnyTool[],
  caller: Caller,
  options: { roleTools: RoleTools; all?: boolean },
): ListedTool[] => toolsFor(tools, caller, options).map(describeTool)

export function toolsFor(
  tools: readonly AnyTool[],
  caller: Caller,
  options: { roleTools: RoleTools; all?: boolean },
): AnyTool[] {
  const all = options.all === true && actsAsHuman(caller)
  return tools
    .filter((tool) => (all || tool.listed) && mayUse(tool, caller, options.roleTools))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

export function describeTool(tool: AnyTool): ListedTool {
  const { input, output } = schemasOf(tool)
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
  }
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' })
