import type { Command } from 'commander'
import type { CliContext } from '../../src/surfaces/cli/context.ts'
import { EXIT_CODES } from '../../src/surfaces/cli/exit-codes.ts'
import { buildProgram } from '../../src/surfaces/cli/program.ts'
import { examplesOf } from '../../src/surfaces/cli/help-examples.ts'
import { table } from './schema-text.ts'

/** Every command with its arguments, options and exit codes, from the program that runs them. */
export async function commandsSection(): Promise<string> {
  // Building reads nothing of the context but the version; actions, which do, are not run.
  const program = await buildProgram({ version: '0' } as CliContext)
  return [
    '# Commands',
    'Options for every command:',
    optionsTable(program),
    'Exit codes:',
    table(
      ['code', 'meaning'],
      Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
    ),
    ...program.commands.flatMap((command) =>
      isHidden(command) ? [] : describe(command, 'exomonad'),
    ),
  ].join('\n\n')
}

const isHidden = (command: Command): boolean =>
  (command as unknown as { _hidden?: boolean })._hidden === true

function describe(command: Command, prefix: string): string[] {
  const name = `${prefix} ${command.name()}`
  const own = command.commands.filter((inner) => !isHidden(inner))
  const usage =
    own.length > 0
      ? `${name} COMMAND`
      : [
          name,
          ...command.registeredArguments.map(argumentText),
          ...(command.options.length > 0 ? ['[options]'] : []),
        ].join(' ')
  // A group’s are those of its commands.
  const examples = command.commands.length > 0 ? [] : examplesOf(command)
  const described = command.registeredArguments.filter((argument) => argument.description !== '')
  return [
    `## \`${usage}\``,
    [
      command.description().replace(/([^.!?])$/, '$1.'),
      ...command.aliases().map((alias) => `Also \`${prefix} ${alias}\`.`),
    ].join(' '),
    ...(described.length > 0
      ? [
          table(
            ['argument', 'meaning'],
            described.map((argument) => [`\`${argument.name()}\``, argument.description]),
          ),
        ]
      : []),
    ...(command.options.length > 0 ? [optionsTable(command)] : []),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``] : []),
    ...own.flatMap((inner) => describe(inner, name)),
  ]
}

function argumentText(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`
  return argument.required ? name.toUpperCase() : `[${name.toUpperCase()}]`
}

const optionsTable = (command: Command): string =>
  table(
    ['option', 'meaning'],
    command.options
      .filter((option) => !option.hidden)
      .map((option) => [`\`${option.flags}\``, option.description]),
  )
