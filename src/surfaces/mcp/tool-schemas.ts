import type { AnyTool } from '../../tools/define.ts'
import { describeTool } from '../run-tool.ts'

type Schema = Readonly<Record<string, unknown>>
type ObjectSchema = Schema & { readonly type: 'object' }

/** A tool as `tools/list` shows it. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** Hints for clients that ask their user before some calls. */
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean; readonly openWorldHint: boolean }
}

const known = new WeakMap<AnyTool, McpTool & { readonly wrapped: boolean }>()

/** Clients take nothing but objects as input and output, and older ones refuse a dialect they have not loaded: `$schema` is left out. */
export function mcpTool(tool: AnyTool): McpTool {
  const { wrapped: _wrapped, ...listed } = describe(tool)
  return listed
}

/** A result as its tool’s listed output schema has it. */
export const structured = (tool: AnyTool, result: unknown): Record<string, unknown> =>
  describe(tool).wrapped ? { result } : (result as Record<string, unknown>)

function describe(tool: AnyTool): McpTool & { readonly wrapped: boolean } {
  const before = known.get(tool)
  if (before !== undefined) return before
  const { name, description, inputSchema, outputSchema } = describeTool(tool)
  const made = {
    name,
    description,
    inputSchema: objectSchema(inputSchema as Schema),
    outputSchema: objectSchema(outputSchema as Schema),
    annotations: { readOnlyHint: tool.effect === 'reads', destructiveHint: tool.effect === 'ends', openWorldHint: false },
    wrapped: !isOfObjects(outputSchema as Schema),
  }
  known.set(tool, made)
  return made
}

/** What is not of objects alone travels as `{result: …}`. */
export function objectSchema(schema: Schema): ObjectSchema {
  const { $schema: _dialect, ...rest } = schema
  if (isOfObjects(schema)) return { ...rest, type: 'object' }
  const { $defs, ...result } = rest
  return { type: 'object', properties: { result }, required: ['result'], ...($defs === undefined ? {} : { $defs }) }
}

function isOfObjects(schema: Schema): boolean {
  if (schema['type'] !== undefined) return schema['type'] === 'object'
  const branches = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(branches) && branches.length > 0 && branches.every((branch) => isOfObjects(branch as Schema))
}
