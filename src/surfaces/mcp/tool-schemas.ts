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
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly openWorldHint: boolean
  }
}

const known = new WeakMap<AnyTool, McpTool>()

/**
 * Clients take nothing but objects as input and output, which all tools have: a result is the same
 * here as on the command line. Older clients refuse a dialect they have not loaded: `$schema` is
 * left out.
 */
export function mcpTool(tool: AnyTool): McpTool {
  const before = known.get(tool)
  if (before !== undefined) return before
  const { name, description, inputSchema, outputSchema } = describeTool(tool)
  const made = {
    name,
    description,
    inputSchema: objectSchema(inputSchema as Schema),
    outputSchema: objectSchema(outputSchema as Schema),
    annotations: {
      readOnlyHint: tool.effect === 'reads',
      destructiveHint: tool.effect === 'ends',
      openWorldHint: false,
    },
  }
  known.set(tool, made)
  return made
}

/** A union of objects does not say so itself. */
function objectSchema({ $schema: _dialect, ...rest }: Schema): ObjectSchema {
  return { ...rest, type: 'object' }
}
