import { Argument, type Command } from 'commander'
import { completionScript, SHELLS, type Shell } from './completion-scripts.ts'
import type { CliContext } from '../context.ts'
import { writeJsonLine } from '../output.ts'

export function define(command: Command, context: CliContext): void {
  command
    .addArgument(new Argument('<shell>', 'Which').choices(SHELLS))
    .addHelpText(
      'after',
      [
        '',
        'Bash:  source <(exomonad completion bash)',
        'Zsh:   exomonad completion zsh > "${fpath[1]}/_exomonad"',
        'Fish:  exomonad completion fish > ~/.config/fish/completions/exomonad.fish',
      ].join('\n'),
    )
    .action((shell: Shell) => {
      const script = completionScript(shell)
      if (context.options().json) writeJsonLine(context.terminal.stdout, { shell, script })
      else context.terminal.stdout.write(script)
    })
}
