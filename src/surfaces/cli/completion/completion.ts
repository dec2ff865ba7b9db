import { basename } from 'node:path'
import { Argument, Option, type Command } from 'commander'
import { shortPath } from '../../text/short-path.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { present, writeJsonLine } from '../output.ts'
import { completionScript, SHELLS, type Shell } from './completion-scripts.ts'

interface Options {
  readonly install?: true
  readonly uninstall?: true
}

export function define(command: Command, context: CliContext): void {
  command
    .addArgument(
      new Argument('[shell]', 'Which; by default the one of $SHELL, to install').choices(SHELLS),
    )
    .option('--install', 'Have new shells complete exomonad')
    .addOption(new Option('--uninstall', 'Take that back').conflicts('install'))
    .action(async (given: Shell | undefined, { install, uninstall }: Options) => {
      if (install !== true && uninstall !== true) return printScript(given, context)
      const shell = given ?? usualShell(context)
      const { home } = context.environment
      const { installCompletion, uninstallCompletion } = await import('./install-completion.ts')
      const change = install === true ? installCompletion : uninstallCompletion
      const files = await change(shell, context.environment)
      const document = { shell, installed: install === true, changed: files }
      present(context, document, () => {
        const shown = files.map((file) => shortPath(file, home)).join(', ')
        if (install !== true)
          return [shown === '' ? `Nothing of it is there for ${shell}.` : `Taken out: ${shown}`]
        if (shown === '') return [`New ${shell} shells complete exomonad already.`]
        return [
          `New ${shell} shells complete exomonad: ${shown}`,
          `Undo: exomonad completion ${shell} --uninstall`,
        ]
      })
    })
}

function printScript(shell: Shell | undefined, context: CliContext): void {
  if (shell === undefined)
    throw new UsageError(`Which shell? ${SHELLS.join(', ')}; or --install for the one you use.`)
  const script = completionScript(shell)
  if (context.options().json) writeJsonLine(context.terminal.stdout, { shell, script })
  else context.terminal.stdout.write(script)
}

function usualShell({ environment }: CliContext): Shell {
  const name = basename(environment.variables['SHELL'] ?? '')
  const known = SHELLS.find((shell) => shell === name)
  if (known !== undefined) return known
  const whose = name === '' ? '$SHELL is not set' : `$SHELL is ${name}, for which there is none`
  throw new UsageError(`Which shell? ${whose}: exomonad completion ${SHELLS.join('|')} --install`)
}
