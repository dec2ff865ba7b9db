import { Argument, type Command } from 'commander'
import { completionScript, SHELLS, type Shell } from './completion-scripts.ts'
import type { CliContext } from '../context.ts'
import { writeJsonLine } from '../output.ts'

export function define(command: Command, context: CliContext): void {
  command.addArgument(new Argument('<shell>', 'Which').choices(SHELLS)).action((shell: Shell) => {
    const script = completionScript(shell)
    if (context.options().json) writeJsonLine(context.terminal.stdout, { shell, script })
    else context.terminal.stdout.write(script)
  })
}
