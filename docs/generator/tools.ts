import { ALL_TOOLS } from '../../src/tools/all.ts'
import type { AnyTool } from '../../src/tools/define.ts'
import { jsonSchema, table, typeText, type SchemaNode } from './schema-text.ts'

function argumentsTable(schema: SchemaNode): string {
  const entries = Object.entries(schema.properties ?? {})
  if (entries.length === 0) return 'No arguments.'
  const required = new Set(schema.required)
  return table(
    ['argument', 'type', 'needed', 'meaning'],
    entries.map(([name, node]) => [
      `\`${name}\``,
      `\`${typeText(node)}\``,
      required.has(name)
        ? 'yes'
        : node.default === undefined
          ? 'no'
          : `no: \`${JSON.stringify(node.default)}\``,
      [node.description, ...innerDescriptions(node)].filter(Boolean).join(' '),
    ]),
  )
}

/** Words on the fields of a list of objects. */
const innerDescriptions = (node: SchemaNode): string[] =>
  Object.entries((node.items ?? node).properties ?? {}).flatMap(([name, inner]) =>
    inner.description === undefined ? [] : [`\`${name}\`: ${inner.description}.`],
  )

function audience(tool: AnyTool): string {
  const who = tool.audience
    .map((one) => (one === 'human' ? 'the human' : `role \`${one}\``))
    .join(', ')
  const listed = tool.listed ? 'listed' : 'not listed'
  return `For ${who}; ${listed}.${tool.keyed === true ? ' Takes an idempotency key.' : ''}${tool.deprecated === undefined ? '' : ` Deprecated: ${tool.deprecated}`}`
}

/** Every tool with schema, audience and result. */
export function toolsSection(): string {
  const parts = ALL_TOOLS.map((tool) => {
    const result = typeText(jsonSchema(tool.output, 'output'))
    return [
      `## \`${tool.name}\``,
      tool.description,
      audience(tool),
      argumentsTable(jsonSchema(tool.input, 'input')),
      `Returns \`${result}\``,
    ].join('\n\n')
  })
  return [
    '# Tools',
    'The same over HTTP (`POST /v1/tools/<name>`) and on the command line (`exomonad call <name> [JSON | -] [--as AGENT]`). An error is `{"error", "code", …facts}`; [the codes](errors.md).',
    'A tool that takes an idempotency key is not done again under the same key: the header `Idempotency-Key` (over HTTP and MCP over HTTP) or the field `idempotency_key` beside the tool’s own, at most 200 characters. A retry returns what the first call did, also across a restart; the command line makes a key for each command.',
    ...parts,
  ].join('\n\n')
}
