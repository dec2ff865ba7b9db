import type { Command, Option } from 'commander'
import type { CliContext } from '../../src/surfaces/cli/context.ts'
import { EXIT_CODES } from '../../src/surfaces/cli/exit-codes.ts'
import { examplesOf } from '../../src/surfaces/cli/help-examples.ts'
import { buildProgram } from '../../src/surfaces/cli/program.ts'

/** exomonad(1) in the macros of man(7), from the program that runs the commands. */
export async function renderManPage(version: string): Promise<string> {
  // Building reads nothing of the context but the version; actions, which do, are not run.
  const program = await buildProgram({ version } as CliContext)
  return `${[
    String.raw`.\" Made of the commands by "npm run docs". Do not edit.`,
    `.TH EXOMONAD 1 "" "exomonad ${escape(version)}" "User Commands"`,
    '.SH NAME',
    `exomonad ${String.raw`\-`} grow a tree of coding agents on a tree of git branches`,
    '.SH SYNOPSIS',
    '.B exomonad',
    `[${italic('options')}] ${italic('command')} [${italic('arguments')}]`,
    '.SH DESCRIPTION',
    line(program.description()),
    line(
      'One daemon per repository keeps the tree. Every command is a client of it, and starts it where it does not run.',
    ),
    '.SH OPTIONS',
    ...program.options.flatMap(optionEntry),
    ...groupsOf(program),
    '.SH EXIT STATUS',
    ...Object.values(EXIT_CODES).flatMap(({ code, meaning }) => [
      '.TP',
      `.B ${code}`,
      line(meaning),
    ]),
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([name, meaning]) => ['.TP', `.B ${escape(name)}`, line(meaning)]),
    '.SH FILES',
    ...FILES.flatMap(([name, meaning]) => ['.TP', `.I ${escape(name)}`, line(meaning)]),
    '.SH SEE ALSO',
    '.BR git (1),',
    '.BR tmux (1),',
    'and the documentation in the package’s folder docs.'.replace('’', String.raw`\(cq`),
  ].join('\n')}\n`
}

const VARIABLES = [
  ['EXOMONAD_STORE_URL', 'The database of the tree, where its store is PostgreSQL.'],
  ['NO_COLOR, FORCE_COLOR', 'Refuse colours, or want them whatever the output is.'],
  ['COLUMNS', 'How wide output is, where it is no terminal.'],
  ['XDG_STATE_HOME', 'Where the user’s own state lies (~/.local/state).'],
] as const

const FILES = [
  ['.exomonad/config.toml', 'The configuration; it may be committed.'],
  ['.git/exomonad/', 'All state: store, logs, prompts. git clean harms none of it.'],
] as const

/** A section for each group of the help, in its order. */
function groupsOf(program: Command): string[] {
  const visible = program.commands.filter((command) => !command.name().startsWith('__'))
  const groups = new Map<string, Command[]>()
  for (const command of visible) {
    const group = command.helpGroup() || 'Commands:'
    groups.set(group, [...(groups.get(group) ?? []), command])
  }
  return [...groups].flatMap(([group, commands]) => [
    `.SH ${escape(group.replace(/:$/, '').toUpperCase())}`,
    ...commands.flatMap((command) => commandEntry(command, 'exomonad')),
  ])
}

function commandEntry(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`
  const below = command.commands.filter((inner) => inner.name() !== 'help')
  const shown = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? ' ...' : ''}`
    return argument.required ? italic(word) : `[${italic(word)}]`
  })
  const takes = below.length > 0 ? [italic('command')] : shown
  const options = below.length === 0 && command.options.length > 0 ? [`[${italic('options')}]`] : []
  const examples = below.length > 0 ? [] : examplesOf(command)
  return [
    `.SS "${[bold(name), ...takes, ...options].join(' ').replaceAll('"', String.raw`\(dq`)}"`,
    line(command.description().replace(/([^.!?])$/, '$1.')),
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .flatMap((argument) => ['.TP', italic(argument.name()), line(argument.description)]),
    ...command.options.flatMap(optionEntry),
    ...(examples.length === 0
      ? []
      : ['.PP', '.nf', '.RS', ...examples.map((one) => line(one)), '.RE', '.fi']),
    ...below.flatMap((inner) => commandEntry(inner, name)),
  ]
}

const optionEntry = (option: Option): string[] =>
  option.hidden ? [] : ['.TP', bold(option.flags), line(option.description)]

const bold = (text: string): string => String.raw`\fB${escape(text)}\fR`
const italic = (text: string): string => String.raw`\fI${escape(text)}\fR`

/** A line of text: none that begins as a request does. */
function line(text: string): string {
  const escaped = escape(text.replaceAll(/\s*\n\s*/g, ' '))
  return /^[.']/.test(escaped) ? String.raw`\&${escaped}` : escaped
}

/** Characters that mean something to roff, and all that is not ASCII. */
const escape = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('’', String.raw`\(cq`)
    .replaceAll('…', '...')
    .replaceAll(/[^\n -~]/gu, (sign) => {
      const code = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      return String.raw`\[u${code}]`
    })
