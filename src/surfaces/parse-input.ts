import { z } from 'zod'
import { ExomonadError } from '../domain/errors.ts'
import { nearestKey } from '../config/nearest-key.ts'

/** One thing wrong with an input: where, what stands there, what may. */
export interface InputProblem {
  /** Path of the field (`specs[0].name`); empty for the input itself. */
  readonly field: string
  /** What was found, as JSON and shortened; `nothing` where it is missing. */
  readonly found: string
  readonly allowed: string
  readonly words: string
}

/**
 * The input as the schema makes it. Throws INVALID_ARG that names each field, what was found and
 * what is allowed; its facts are those of the first problem (`field`, `found`, `allowed`) and all
 * of them as `problems`. `what` names the whole in the words (`spawn_workers`).
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, input, known))
  const [first] = problems
  throw new ExomonadError(
    'INVALID_ARG',
    `${what}: ${problems.map((problem) => problem.words).join('; ')}.`,
    {
      field: first?.field ?? '',
      found: first?.found ?? '',
      allowed: first?.allowed ?? '',
      ...(problems.length > 1
        ? { problems: problems.map(({ field, found, allowed }) => ({ field, found, allowed })) }
        : {}),
    },
  )
}

function describeIssue(
  issue: z.core.$ZodIssue,
  input: unknown,
  known: readonly string[],
): InputProblem[] {
  const field = pathText(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(key, issue.path, known))
  const allowed = allowedBy(issue)
  const name = field === '' ? 'the input' : field
  const value = valueAt(input, issue.path)
  if (value === undefined)
    return [
      { field, found: 'nothing', allowed, words: `${name} is missing; it must be ${allowed}` },
    ]
  const found = shorten(JSON.stringify(value) ?? typeof value)
  return [{ field, found, allowed, words: `${name} must be ${allowed}, found ${found}` }]
}

function unknownKey(
  key: string,
  path: readonly PropertyKey[],
  known: readonly string[],
): InputProblem {
  const field = pathText([...path, key])
  const names = path.length === 0 ? known : []
  const near = nearestKey(key, names)
  const allowed = names.length > 0 ? names.join(', ') : 'only the documented keys'
  const hint =
    near !== undefined ? `; did you mean ${near}?` : names.length > 0 ? `; known: ${allowed}` : ''
  return { field, found: key, allowed, words: `${field} is not known here${hint}` }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function allowedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => String(value)).join(', ')}`
    case 'too_small':
      return amount(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      )
    case 'too_big':
      return amount(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      )
    case 'invalid_format':
      return issue.pattern === undefined
        ? `a valid ${issue.format}`
        : `text that matches ${issue.pattern}`
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_union':
      return (
        [
          ...new Set(
            issue.errors.flatMap((errors) => errors.slice(0, 1).map((error) => allowedBy(error))),
          ),
        ].join(' or ') || 'one of the allowed forms'
      )
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return `valid (${issue.message})`
  }
}

function amount(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `text of ${relation} ${limit} character${limit === 1 ? '' : 's'}`
  if (origin === 'array' || origin === 'set')
    return `a list of ${relation} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  return `${relation} ${limit}`
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('')

/** As it was sent: where a schema converts first, zod’s own report shows the converted value. */
const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null
        ? (part as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  )

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text)
