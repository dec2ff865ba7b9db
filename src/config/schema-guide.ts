import { z } from 'zod'
import { configSchema } from './schema.ts'

/** The part of a JSON Schema that says what is allowed at one key. */
export interface SchemaNode {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly default?: unknown
  readonly description?: string
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaNode>>
}

/** The configuration’s schema as people may write it, in JSON Schema. */
export const configJsonSchema = (): SchemaNode =>
  z.toJSONSchema(configSchema, { io: 'input' }) as SchemaNode

/** What the schema says of a path; undefined for paths that it doesn’t know. */
export function schemaAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = resolve(root, root)
  for (const step of path) {
    if (node === undefined) return undefined
    const further: SchemaNode | boolean | undefined =
      typeof step === 'number' || (node.type === 'array' && /^\d+$/.test(String(step)))
        ? node.items
        : (node.properties?.[String(step)] ?? node.additionalProperties)
    node = typeof further === 'object' ? resolve(root, further) : undefined
  }
  return node
}

function resolve(root: SchemaNode, node: SchemaNode): SchemaNode {
  const name = node.$ref?.split('/').at(-1)
  const target = name === undefined ? undefined : root.$defs?.[name]
  return target === undefined ? node : { ...target, ...node }
}

/** What may stand there, in words. */
export function describeAllowed(node: SchemaNode | undefined): string {
  if (node === undefined) return 'nothing'
  const values = node.enum ?? (node.const === undefined ? undefined : [node.const])
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ')
  switch (node.type) {
    case 'integer':
    case 'number':
      return `${node.type === 'integer' ? 'a whole number' : 'a number'}${bounds(node)}`
    case 'string':
      return 'a string'
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list of ${(node.minItems ?? 0) > 0 ? 'one or more ' : ''}${describeAllowed(node.items).replace(/^an? /, '')}s`
    case 'object':
      return 'a table'
    default:
      return 'another value'
  }
}

function bounds(node: SchemaNode): string {
  const minimum =
    node.minimum !== undefined && node.minimum > Number.MIN_SAFE_INTEGER
      ? ` from ${node.minimum}`
      : ''
  const above = node.exclusiveMinimum === undefined ? '' : ` above ${node.exclusiveMinimum}`
  const maximum =
    node.maximum !== undefined && node.maximum < Number.MAX_SAFE_INTEGER
      ? ` up to ${node.maximum}`
      : ''
  return `${minimum}${above}${maximum}`
}
