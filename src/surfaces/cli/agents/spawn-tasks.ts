import { UsageError } from '../exit-codes.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** One agent to spawn, as the tool `spawn` takes it. */
export interface SpawnTask {
  readonly name: string
  readonly prompt: string
  /** Number of the issue that it is to work on; the prompt adds to that. */
  readonly issue?: number
  readonly agent?: string
  readonly role?: string
  readonly branch?: string
}

const FIELDS = ['name', 'prompt', 'agent', 'role', 'branch'] as const

/** Tasks from arguments: `name=prompt`, or names that share the prompt of --prompt. */
export function tasksFromArguments(
  words: readonly string[],
  prompt: string | undefined,
): SpawnTask[] {
  return words.map((word) => {
    const equals = word.indexOf('=')
    if (equals > 0)
      return { name: word.slice(0, equals).trim(), prompt: word.slice(equals + 1).trim() }
    if (prompt === undefined) {
      throw new UsageError(
        `Task “${word}” has no prompt: write it as ${/\s/.test(word) ? 'name' : word}="what to do", or give --prompt.`,
      )
    }
    return { name: word, prompt }
  })
}

/**
 * One task for each issue. A single task beside a single issue names it, and adds to it; more of
 * either are not paired. UsageError for what is no number.
 */
export function tasksFromIssues(
  numbers: readonly string[],
  tasks: readonly SpawnTask[],
): Pick<SpawnTask, 'issue' | 'name' | 'prompt'>[] {
  const issues = numbers.map((text) => {
    const number = Number(text.replace(/^#/, ''))
    if (Number.isSafeInteger(number) && number > 0) return number
    throw new UsageError(`--issue takes numbers of issues, such as 42; “${text}” is none.`)
  })
  const [task] = tasks
  if (task === undefined) return issues.map((issue) => ({ issue, name: '', prompt: '' }))
  if (tasks.length === 1 && issues.length === 1) return [{ ...task, issue: issues[0]! }]
  throw new UsageError(
    `One task may name one issue and add to it; here are issues: ${issues.length}, tasks: ${tasks.length}. Spawn the others apart.`,
  )
}

/**
 * Tasks from a file’s text. The format follows from the name’s ending, for other names from the
 * text. UsageError names what is wrong.
 */
export async function tasksFromText(text: string, name: string): Promise<SpawnTask[]> {
  const tasks = await parse(text, name)
  if (tasks.length === 0) throw new UsageError(`${name} holds no task.`)
  for (const task of tasks) {
    if (task.name.trim() === '' || task.prompt.trim() === '')
      throw new UsageError(
        `${name}: every task needs a name and a prompt; ${JSON.stringify(task.name)} has not both.`,
      )
  }
  return tasks
}

async function parse(text: string, name: string): Promise<SpawnTask[]> {
  const format = /\.(json|toml|md|markdown)$/i.exec(name)?.[1]?.toLowerCase() ?? guessFormat(text)
  if (format === 'json') return fromDocument(readJson(text, name), name)
  if (format === 'toml') return fromDocument(await readToml(text, name), name)
  return fromMarkdown(text)
}

function guessFormat(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{')) return 'json'
  if (start.startsWith('[')) return /^\[\[?\s*[\w"'.-]+\s*\]?\]/.test(start) ? 'toml' : 'json'
  return /^#{1,6} /.test(start) ? 'md' : 'toml'
}

function readJson(text: string, name: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
}

async function readToml(text: string, name: string): Promise<unknown> {
  const { parseToml } = await import('../../../domain/formats/parse-toml.ts')
  try {
    return parseToml(text)
  } catch (error) {
    throw new UsageError(`${name} is not valid TOML: ${(error as Error).message}`)
  }
}

/**
 * A list of tasks, `{tasks: …}` or `{specs: …}` around one, or a table of name → prompt or task.
 */
function fromDocument(document: unknown, file: string): SpawnTask[] {
  if (Array.isArray(document))
    return document.map((entry, index) => toTask(entry, `${file}: task ${index + 1}`))
  if (!isTable(document))
    throw new UsageError(`${file}: expected a list of tasks, or a table of names and prompts.`)
  const inner = document['tasks'] ?? document['specs']
  if (inner !== undefined && (Array.isArray(inner) || isTable(inner)))
    return fromDocument(inner, file)
  return Object.entries(document).map(([name, entry]) =>
    typeof entry === 'string'
      ? { name, prompt: entry }
      : toTask(isTable(entry) ? { name, ...entry } : entry, `${file}: task ${name}`),
  )
}

function toTask(entry: unknown, where: string): SpawnTask {
  if (!isTable(entry)) throw new UsageError(`${where}: expected a table with name and prompt.`)
  for (const [field, value] of Object.entries(entry)) {
    if (!(FIELDS as readonly string[]).includes(field))
      throw new UsageError(`${where}: unknown key ${field}; known: ${FIELDS.join(', ')}.`)
    if (typeof value !== 'string') throw new UsageError(`${where}: ${field} must be a string.`)
  }
  const { name, prompt } = entry as Partial<SpawnTask>
  if (name === undefined || prompt === undefined)
    throw new UsageError(`${where}: ${name === undefined ? 'name' : 'prompt'} is missing.`)
  return { ...(entry as unknown as SpawnTask), name, prompt: prompt.trim() }
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A task per heading of the first heading’s level: its text is the name, what follows the prompt.
 * Headings in code fences don’t count.
 */
function fromMarkdown(text: string): SpawnTask[] {
  const tasks: { name: string; lines: string[] }[] = []
  let level: string | undefined
  let fence: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) fence = mark
    else if (mark !== undefined && mark.startsWith(fence)) fence = undefined
    const heading = fence === undefined ? /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) : null
    level ??= heading?.[1]
    if (heading !== null && heading[1] === level) tasks.push({ name: heading[2] ?? '', lines: [] })
    else tasks.at(-1)?.lines.push(line)
  }
  return tasks.map(({ name, lines }) => ({ name, prompt: lines.join('\n').trim() }))
}
