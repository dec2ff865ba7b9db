import { configSchema } from '../../src/config/schema.ts'
import { jsonSchema, table, typeText, type SchemaNode } from './schema-text.ts'

interface Key {
  readonly name: string
  readonly node: SchemaNode
  readonly needed: boolean
}

/** Every key a person can write, dotted; `*` stands for a name of their own. */
function keysOf(schema: SchemaNode, prefix = ''): Key[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, node]) => {
    const path = `${prefix}${name}`
    const named =
      typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined
    if (named?.properties !== undefined) return keysOf(named, `${path}.NAME.`)
    if (node.properties !== undefined) return keysOf(node, `${path}.`)
    return [{ name: path, node, needed: required.has(name) && node.default === undefined }]
  })
}

/** Every key of .exomonad/config.toml with its type and default. */
export function configurationSection(): string {
  const keys = keysOf(jsonSchema(configSchema, 'input'))
  return [
    '# Configuration',
    '`.exomonad/config.toml`. Unknown keys are errors. `.exomonad.example/config.toml` has all of them with comments; `exomonad config check` checks a file.',
    table(
      ['key', 'type', 'default', 'meaning'],
      keys.map(({ name, node, needed }) => [
        `\`${name}\``,
        `\`${typeText(node)}\``,
        needed ? 'needed' : node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``,
        node.description ?? '',
      ]),
    ),
  ].join('\n\n')
}
