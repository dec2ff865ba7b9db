import type { ToolName } from '../../tools/types.ts'
import document from './tool-specs.json' with { type: 'json' }

/** A tool’s command as plain data: a command that is begun loads neither tools nor zod. */
export interface CommandSpec {
  readonly tool: string
  readonly summary: string
  readonly notes?: string
  readonly examples: readonly string[]
  /** Of the input where nothing else is given: defaults of the schema and the command. */
  readonly given: Readonly<Record<string, unknown>>
  readonly fields: readonly FieldSpec[]
}

/** A field of the tool’s input, and what is needed of its JSON schema. */
export interface FieldSpec {
  readonly name: string
  /** `<agent>` or `-q, --question <id>`. */
  readonly term: string
  readonly words: string
  readonly type: string
  readonly enum?: readonly string[]
  /** Of numbers, and the least length of text. */
  readonly least?: number
  readonly isRequired?: boolean
  /** It stays byte for byte. */
  readonly isExact?: boolean
}

/** By the names of the commands. `npm run docs` writes them; a test compares. */
export const SPECS: Readonly<Record<string, CommandSpec>> = document.commands

/**
 * Tools that take an idempotency key: what was taken and not answered may be asked for again under
 * it.
 */
export const KEYED: ReadonlySet<string> = new Set(document.keyed)

/** Tools that change nothing, whatever they are given. */
export const READING: ReadonlySet<string> = new Set(document.reading)

/** Throws where the tool has no such command. `command` names one of several. */
export function specOf(tool: ToolName, command?: string): CommandSpec {
  const spec =
    command === undefined ? Object.values(SPECS).find((one) => one.tool === tool) : SPECS[command]
  if (spec === undefined) throw new Error(`${tool} has no command; \`npm run docs\` makes it`)
  return spec
}
