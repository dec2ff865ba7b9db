import { z } from 'zod'

/** A JSON Schema node as far as the reference shows it. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly additionalProperties?: boolean | SchemaNode
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly $ref?: string
}

/**
 * The JSON Schema of what may be written (`input`) or of what is answered (`output`); references
 * are inlined.
 */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): SchemaNode =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    metadata: withoutIds(),
  }) as SchemaNode

/** Ids would turn schemas into references; descriptions are kept. */
function withoutIds(): typeof z.globalRegistry {
  const registry = {
    get: (schema: z.core.$ZodType) => {
      const { id: _id, ...rest } = z.globalRegistry.get(schema) ?? {}
      return rest
    },
    has: (schema: z.core.$ZodType) => z.globalRegistry.has(schema),
  }
  return registry as unknown as typeof z.globalRegistry
}

/** A type in one line: `string`, `"a" | "b"`, `{name: string, line?: integer}[]`. */
export function typeText(node: SchemaNode): string {
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum?.includes('INVALID_ARG') === true) return 'error code'
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(' | ')
  const either = node.anyOf ?? node.oneOf
  if (either !== undefined) return [...new Set(either.map(typeText))].join(' | ')
  if (Array.isArray(node.type)) return node.type.join(' | ')
  if (node.type === 'array') {
    const item = typeText(node.items ?? {})
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  if (node.type === 'object') {
    if (node.properties === undefined)
      return typeof node.additionalProperties === 'object'
        ? `{name: ${typeText(node.additionalProperties)}}`
        : 'object'
    const required = new Set(node.required)
    return `{${Object.entries(node.properties)
      .map(([name, inner]) => `${name}${required.has(name) ? '' : '?'}: ${typeText(inner)}`)
      .join(', ')}}`
  }
  return typeof node.type === 'string' ? node.type : 'any'
}

/** Text for one cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- ').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n')
