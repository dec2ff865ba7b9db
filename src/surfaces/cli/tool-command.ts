import { Argument, Option, type Command } from 'commander'
import type { ToolArguments, ToolName, ToolResult } from '../../tools/types.ts'
import type { Client } from '../client.ts'
import { parseDuration } from '../text/duration.ts'
import type { Palette } from '../text/palette.ts'
import { tableWidth } from '../text/table.ts'
import type { CommandModule } from './command-module.ts'
import type { CliContext } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { exactly, writeJson, writeLines } from './output.ts'
import { withProgress } from './progress.ts'
import { pullNumber } from './pulls/pull-number.ts'
import { readWords } from './read-stdin.ts'
import { specOf, type CommandSpec, type FieldSpec } from './tool-specs.ts'

/** One run of a tool’s command, once its words are read. */
export interface ToolRun<
  Name extends ToolName,
  Flag extends string = never,
> extends ToolStart<Flag> {
  readonly client: Client
  readonly input: ToolArguments<Name>
}

/** The same before the daemon is looked for. */
interface ToolStart<Flag extends string> {
  readonly context: CliContext
  readonly palette: Palette
  /** For tables: columns where standard output is a terminal, else without limit. */
  readonly width: number
  readonly flags: Readonly<Record<Flag, boolean>>
  /** Of `ToolTerminal.values`, by their names; true where one that may stand alone does. */
  readonly values: Readonly<Record<string, string | true | undefined>>
}

type Maybe<Value> = Value | Promise<Value>
type Given<Name extends ToolName> = Partial<ToolArguments<Name>>

/** What a tool’s command does beside calling the tool and printing what it returns. */
export interface ToolTerminal<Name extends ToolName, Flag extends string = never> {
  /** The result in lines for people; without, it is printed as JSON. */
  readonly show?: (result: ToolResult<Name>, run: ToolRun<Name, Flag>) => Maybe<readonly string[]>
  /** In place of `show`: it prints the result for people itself, as through a pager. */
  readonly print?: (result: ToolResult<Name>, run: ToolRun<Name, Flag>) => Promise<void>
  /** Which of the tool’s commands, where it has several. */
  readonly command?: string
  /** Options of the terminal alone: `-w, --watch`, after two spaces what they do. */
  readonly flags?: Readonly<Record<Flag, string>>
  /** The same with a value: `--answer <text>`, `--deny [reason]`. */
  readonly values?: Readonly<Record<string, string>>
  /** The input made of what was given. Throws UsageError where that makes no sense together. */
  readonly prepare?: (given: Given<Name>, start: ToolStart<Flag>) => Maybe<Given<Name>>
  /** Done without a daemon, which is not looked for then; true where that was all. */
  readonly alone?: (given: Given<Name>, start: ToolStart<Flag>) => Maybe<boolean>
  /** Another tool that this calls for, which returns the same and maybe more. */
  readonly instead?: (given: Given<Name>, start: ToolStart<Flag>) => ToolName | undefined
  /** In place of the call. Without a result nothing is left to be shown. */
  readonly call?: (run: ToolRun<Name, Flag>) => Promise<ToolResult<Name> | undefined | void>
  /** What goes on while the call lasts, in words beside a spinner. */
  readonly progress?: string | ((input: ToolArguments<Name>) => string)
  /** Part of it failed: it is shown, and the exit code is 1. */
  readonly failed?: (result: ToolResult<Name>) => boolean
  /** Data of others, which may be kept or passed on, stays as it is. */
  readonly isExact?: true
}

/** The command of a tool: arguments, options and help as its own file has them. */
export const toolCommand = <const Name extends ToolName, Flag extends string = never>(
  tool: Name,
  terminal: ToolTerminal<Name, Flag> = {},
): CommandModule => commandOf(specOf(tool, terminal.command), terminal)

export const commandOf = <Name extends ToolName, Flag extends string = never>(
  spec: CommandSpec,
  terminal: ToolTerminal<Name, Flag> = {},
): CommandModule => ({
  define: (command, context) => {
    for (const field of spec.fields)
      if (isOption(field)) command.addOption(optionOf(field, spec.given[field.name]))
      else command.addArgument(argumentOf(field))
    const own = (options: Readonly<Record<string, string>> = {}) =>
      Object.entries(options).map(([name, as]) => {
        const [term = '', words] = as.split(/ {2,}/)
        command.option(term, words)
        return [name, term] as const
      })
    const flags = own(terminal.flags)
    const values = own(terminal.values)
    if (spec.notes !== undefined) command.addHelpText('after', `\n${spec.notes}`)
    command.description(spec.summary).action(async () => {
      const given = await readGiven(context, spec, command)
      const isSet = ([name, term]: readonly [string, string]) =>
        [name, valueOf(command, term) === true] as const
      await runTool(context, spec, terminal, {
        // The spec is made of the tool’s schema, and each field was read by it.
        given: given as Given<Name>,
        flags: Object.fromEntries(flags.map(isSet)) as Record<Flag, boolean>,
        values: Object.fromEntries(
          values.map(([name, term]) => [name, valueOf(command, term) as string | true | undefined]),
        ),
      })
    })
  },
})

async function runTool<Name extends ToolName, Flag extends string>(
  context: CliContext,
  spec: CommandSpec,
  terminal: ToolTerminal<Name, Flag>,
  { given, ...options }: { given: Given<Name> } & Pick<ToolStart<Flag>, 'flags' | 'values'>,
): Promise<void> {
  const start = { context, palette: context.palette(), width: tableWidth(context), ...options }
  const prepared = (await terminal.prepare?.(given, start)) ?? given
  if ((await terminal.alone?.(prepared, start)) === true) return
  const tool = terminal.instead?.(given, start) ?? spec.tool
  const client = await context.client()
  const input = (await withPullNumbers(client, spec, prepared)) as ToolArguments<Name>
  const run = { ...start, client, input }
  const call = terminal.call?.(run) ?? client.callTool(tool, input)
  const { progress, show } = terminal
  const label = typeof progress === 'function' ? progress(input) : progress
  // As the daemon checked it.
  const result = (await (label === undefined ? call : withProgress(context, label, call))) as
    | ToolResult<Name>
    | undefined
  if (result === undefined) return
  if (terminal.failed?.(result) === true) context.markFailed()
  const { stdout } = context.terminal
  const { json } = context.options()
  if (!json && terminal.print !== undefined) return terminal.print(result, run)
  if (json || show === undefined) return writeJson(stdout, result)
  writeLines(terminal.isExact ? exactly(stdout) : stdout, await show(result, run))
}

/** A command that has others below it. */
export const commandGroup = (members: Readonly<Record<string, CommandModule>>): CommandModule => ({
  define: (command, context, whole) => {
    for (const [name, member] of Object.entries(members))
      member.define(command.command(name), context, whole)
  },
})

const isOption = ({ term }: FieldSpec): boolean => term.startsWith('-')

/** `id` of `-q, --question <id>`. */
const kindOf = ({ term }: FieldSpec): string => /[<[]([\w=-]+)/.exec(term)?.[1] ?? ''

/** Several words, or standard input, are one text. */
const isText = ({ term, type }: FieldSpec): boolean => term.includes('...') && type === 'string'

const argumentOf = (field: FieldSpec): Argument =>
  new Argument(
    field.term,
    isText(field) ? `${field.words}; - reads it from standard input` : field.words,
  )

const valueOf = (command: Command, term: string): unknown =>
  command.opts<Record<string, unknown>>()[new Option(term).attributeName()]

/** What stands on the command line, over what is so without. */
async function readGiven(
  context: CliContext,
  { fields, given }: CommandSpec,
  command: Command,
): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = { ...given }
  const words = [...command.processedArgs] as unknown[]
  for (const field of fields) {
    const value = isOption(field)
      ? valueOf(command, field.term)
      : await readArgument(context, field, words.shift())
    if (value !== undefined) read[field.name] = value
  }
  return read
}

/** Pull requests are named by their agents and branches, too. */
async function withPullNumbers(
  client: Client,
  { fields }: CommandSpec,
  given: object,
): Promise<object> {
  const found: Record<string, unknown> = { ...given }
  for (const field of fields) {
    const word = found[field.name]
    if (kindOf(field) === 'pr' && typeof word === 'string')
      found[field.name] = await pullNumber(client, word)
  }
  return found
}

async function readArgument(
  context: CliContext,
  field: FieldSpec,
  value: unknown,
): Promise<unknown> {
  if (!Array.isArray(value)) return value
  if (value.length === 0) return undefined
  if (!isText(field)) return value
  const text = await readWords(context, value, field.isExact)
  const isEmpty = field.isExact === true ? text === '' : text.trim() === ''
  if (isEmpty && (field.isRequired === true || field.least !== undefined))
    throw new UsageError(`The ${kindOf(field)} is empty.`)
  return text
}

function optionOf(field: FieldSpec, preset: unknown): Option {
  const option = new Option(field.term, field.words)
  if (field.type === 'boolean') return option
  if (field.enum !== undefined) option.choices(field.enum)
  if (field.enum === undefined || field.type === 'array')
    option.argParser((text, before: unknown) => readOption(field, option, text, before))
  option.makeOptionMandatory(field.isRequired === true && preset === undefined)
  return preset === undefined || preset === '' ? option : option.default(preset)
}

function readOption(field: FieldSpec, { long }: Option, text: string, before: unknown): unknown {
  const wrong = (expected: string) => new UsageError(`${long} ${text}: expected ${expected}.`)
  if (field.type === 'array') {
    const several = field.enum === undefined ? [text] : text.split(',')
    const odd = several.find((one) => field.enum?.includes(one) === false)
    if (odd !== undefined) throw wrong(`one of ${field.enum?.join(', ')}`)
    return [...(Array.isArray(before) ? before : []), ...several]
  }
  if (field.type === 'object') {
    const at = text.indexOf('=')
    if (at < 1) throw wrong('KEY=VALUE')
    return { ...(before as object | undefined), [text.slice(0, at)]: text.slice(at + 1) }
  }
  if (field.type === 'string') return text
  const isDuration = kindOf(field) === 'duration'
  const number = isDuration ? parseDuration(text) : /^\d+$/.test(text) ? Number(text) : undefined
  if (number === undefined)
    throw wrong(isDuration ? 'seconds, or a duration such as 90s or 5m' : 'a whole number')
  if (number < (field.least ?? 0)) throw wrong(`at least ${field.least}`)
  return number
}
