import { z } from 'zod'
import type { CommandSpec, FieldSpec } from '../../src/surfaces/cli/tool-specs.ts'
import { ALL_TOOLS } from '../../src/tools/all.ts'
import type { AnyTool, ToolCommand } from '../../src/tools/define.ts'

/** src/surfaces/cli/tool-specs.json: what the command line knows of tools, a command a line. */
export function renderToolSpecs(): string {
  const lines = ALL_TOOLS.flatMap(specsOf)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, spec]) => `    ${JSON.stringify(name)}: ${JSON.stringify(spec)}`)
  const keyed = ALL_TOOLS.filter((tool) => tool.keyed === true).map(({ name }) => name)
  const reading = ALL_TOOLS.filter((tool) => tool.effect === 'reads').map(({ name }) => name)
  return `{\n  "commands": {\n${lines.join(',\n')}\n  },\n  "keyed": ${JSON.stringify(keyed)},\n  "reading": ${JSON.stringify(reading)}\n}\n`
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  /** Of a list what each entry is. */
  readonly items?: JsonSchema
}

/** A tool’s commands by their names, of its schema and what it says of them itself. */
export function specsOf(tool: AnyTool): [name: string, spec: CommandSpec][] {
  const schema = z.toJSONSchema(tool.input as z.ZodObject, { io: 'input' }) as JsonSchema
  const properties = schema.properties ?? {}
  const preset = Object.entries(properties).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value]],
  )
  const field = (name: string, as: string): FieldSpec => {
    const { type = '', description = '', items, ...rest } = properties[name] ?? {}
    const choices = rest.enum ?? items?.enum
    const [term = '', words = description] = as.split(/ {2,}/)
    // Seconds and counts are given whole.
    const above = rest.exclusiveMinimum === undefined ? undefined : rest.exclusiveMinimum + 1
    const least = rest.minimum ?? above ?? rest.minLength
    return {
      name,
      term,
      words,
      type,
      ...(choices === undefined ? {} : { enum: choices }),
      ...(least === undefined ? {} : { least }),
      ...(schema.required?.includes(name) ? { isRequired: true } : {}),
      ...(tool.exact?.includes(name) ? { isExact: true } : {}),
    }
  }
  const commands: readonly ToolCommand[] = tool.command === undefined ? [] : [tool.command].flat()
  return commands.map(({ name, summary, notes, examples, given, fields = {} }) => [
    name,
    {
      tool: tool.name,
      summary,
      ...(notes === undefined ? {} : { notes }),
      examples,
      given: { ...Object.fromEntries(preset), ...given },
      fields: Object.entries(fields).map(([one, as = '']) => field(one, as)),
    },
  ])
}
