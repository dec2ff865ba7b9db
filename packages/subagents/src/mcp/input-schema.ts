import type { ToolParameter } from '../tools/tool-types.ts'

/** A tool’s parameters as JSON Schema, as MCP lists them. */
export function inputSchema(
  parameters: Readonly<Record<string, ToolParameter>>,
): Readonly<Record<string, unknown>> & { readonly type: 'object' } {
  const entries = Object.entries(parameters)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([key, { type, description, enum: values, items }]) => [
        key,
        {
          type,
          description,
          ...(values === undefined ? {} : { enum: values }),
          ...(items === undefined ? {} : { items }),
        },
      ]),
    ),
    required: entries.flatMap(([key, { required }]) => (required === true ? [key] : [])),
  }
}
