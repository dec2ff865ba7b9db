import { Command, Help } from 'commander'
import { COMMANDS } from './commands.ts'
import type { CliContext } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { showExamples } from './help-examples.ts'
import { fold } from '../text/fold.ts'

/** Columns from which help has terms and words side by side. */
const TWO_COLUMNS = 70

/**
 * The command line as a commander program. `only` names the one command whose arguments and options
 * are loaded, for a quick start; without it all are, which is what documentation and completion
 * read. Building has no side effects.
 */
export async function buildProgram(context: CliContext, only?: string | null): Promise<Command> {
  // What is asked for by COLUMNS counts before what the terminal has, as in man.
  const helpWidth = (): number => context.environment.columns ?? context.width()
  const program = new Command('exomonad')
    .description(
      'Grows a tree of coding agents on a tree of git branches, and folds their work back with pull requests.',
    )
    .version(context.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .option('-C, --cwd <folder>', 'Work as if started in this folder')
    .option(
      '--host <machine>',
      'Before the command: on another machine, over SSH (user@machine:path)',
    )
    .option(
      '--as <agent>',
      'Act as this agent, with its rights: id, branch or name (only the owner may)',
    )
    .option('--json', 'Print the result as one JSON document')
    .option('--no-color', 'No colours (also: NO_COLOR; FORCE_COLOR wants them)')
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('Show help for a command')
        .helpGroup('For agents and scripts:'),
    )
    .exitOverride()
    .showHelpAfterError('`exomonad help` and `exomonad help COMMAND` show what there is.')
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      sortOptions: false,
      minWidthToWrap: 20,
      // Two columns need room; without, what it says stands below each term.
      formatItem: (term, termWidth, words, helper) => {
        if (helpWidth() >= TWO_COLUMNS)
          return Help.prototype.formatItem.call(helper, term, termWidth, words, helper)
        return words === '' ? `  ${term}` : `  ${term}\n      ${words}`
      },
    })
    .configureOutput({
      writeOut: (text) => void context.terminal.stdout.write(fold(text, helpWidth())),
      writeErr: (text) => void context.terminal.stderr.write(text),
      outputError: (text, write) =>
        write(
          `${context.palette(context.terminal.stderr).bad('✗')} ${text.replace(/^error: /, '')}`,
        ),
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  // Where it counts it is taken before: after its name, an option is the command’s.
  program.on('option:host', (machine: string) => {
    throw new UsageError(
      `--host stands before the command: exomonad --host ${machine} ${only ?? 'COMMAND'} …`,
    )
  })
  for (const entry of COMMANDS) {
    const command = program
      .command(entry.name, { hidden: entry.hidden === true })
      .description(entry.summary)
    if (entry.alias !== undefined) command.alias(entry.alias)
    if (entry.group !== undefined) command.helpGroup(`${entry.group}:`)
    if (entry.personOnly === true) command.hook('preAction', () => refuseAs(entry.name, context))
    if (only === undefined || only === entry.name || only === entry.alias) {
      ;(await entry.load()).define(command, context, () => buildProgram(context))
      showExamples(command)
      pointToOwnHelp(command, `exomonad ${entry.name}`)
    } else command.allowUnknownOption().allowExcessArguments()
  }
  return program
}

/** After an error of how it was called: the help of the very command, not of all. */
function pointToOwnHelp(command: Command, name: string): void {
  command.showHelpAfterError(`\`${name} --help\` shows how it is used.`)
  for (const sub of command.commands) pointToOwnHelp(sub, `${name} ${sub.name()}`)
}

function refuseAs(name: string, context: CliContext): void {
  const { as } = context.options()
  if (as !== undefined)
    throw new UsageError(`--as ${as}: ${name} is nothing that an agent could do. Leave --as out.`)
}

const WITH_VALUE = new Set(['-C', '--cwd', '--as', '--host'])

/** The command that a command line names; null where it names none. `help X` counts as X. */
export function commandNamed(argv: readonly string[]): string | null {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (WITH_VALUE.has(word)) at++
    else if (word === 'help') continue
    else if (!word.startsWith('-')) return word
  }
  return null
}
