/** As much of JSON Schema as the schemas of tools have. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

/** One field of a form, of one property of a schema. */
export interface FormField {
  readonly name: string
  /** `list`: one entry a line. */
  readonly kind: 'text' | 'number' | 'switch' | 'choice' | 'list'
  readonly hint: string
  readonly choices: readonly string[]
  readonly initial: string | boolean
  readonly schema: Schema
}

/** What is typed, by the field’s name: text as it stands there, or whether it is switched on. */
export type Values = Readonly<Record<string, string | boolean>>

/** What the form of `spawn` is made of. */
export interface SpawnForm {
  readonly kinds: readonly string[]
  /** Of each agent that is to be spawned. */
  readonly spec: readonly FormField[]
  /** Of all of them together. */
  readonly options: readonly FormField[]
}

/** Asked for in another way than by a field. */
const APART: ReadonlySet<string> = new Set(['kind', 'specs', 'dry_run'])

/** Of the tool’s input. */
export function spawnForm(input: Schema): SpawnForm {
  const properties = input.properties ?? {}
  return {
    kinds: (properties['kind']?.enum ?? []).map(String),
    spec: fieldsOf(properties['specs']?.items ?? {}),
    options: fieldsOf(input).filter(({ name }) => !APART.has(name)),
  }
}

export const fieldsOf = ({ properties = {} }: Schema): FormField[] =>
  Object.entries(properties).map(([name, schema]) => {
    const kind = kindOf(schema)
    return {
      name,
      kind,
      hint: schema.description ?? '',
      choices: (schema.enum ?? []).map(String),
      initial: kind === 'switch' ? schema.default === true : String(schema.default ?? ''),
      schema,
    }
  })

function kindOf({ type, enum: choices }: Schema): FormField['kind'] {
  if (choices !== undefined) return 'choice'
  if (type === 'boolean') return 'switch'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'array' ? 'list' : 'text'
}

/** What the tool is given for a field; undefined where nothing was said. */
export function valueOf({ kind, schema }: FormField, typed: string | boolean | undefined): unknown {
  if (typeof typed === 'boolean') return typed
  const text = typed?.trim() ?? ''
  if (text === '') return undefined
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind !== 'list') return schema.type === 'string' ? text : typed
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** What is wrong with what is typed, by the schema; null for nothing. */
export function faultOf(field: FormField, typed: string | boolean | undefined): string | null {
  const { kind, schema, choices } = field
  const value = valueOf(field, typed)
  if (value === undefined) return null
  if (kind === 'choice' && !choices.includes(String(value)))
    return `It must be one of ${choices.join(', ')}.`
  if (kind !== 'number') return null
  if (typeof value !== 'number' || (schema.type === 'integer' && !Number.isSafeInteger(value)))
    return `It must be a ${schema.type === 'integer' ? 'whole number' : 'number'}.`
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `It must be more than ${schema.exclusiveMinimum}.`
  if (schema.minimum !== undefined && value < schema.minimum)
    return `It must be at least ${schema.minimum}.`
  if (schema.maximum !== undefined && value > schema.maximum)
    return `It must be at most ${schema.maximum}.`
  return null
}
