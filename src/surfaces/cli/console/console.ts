import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { assertHuman } from '../connect.ts'
import { UsageError } from '../exit-codes.ts'
import { locateRepository } from '../locate.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('[agent]', 'Id, branch or name of an agent to talk to at once; default: all of them')
    .action(async (agent: string | undefined) => {
      const { cwd, as, json } = context.options()
      if (context.elsewhere === null)
        await assertHuman(
          cwd,
          context.environment,
          await locateRepository(cwd, context.environment, context.host),
        )
      if (as !== undefined)
        throw new UsageError(
          'The console acts for the agent that you look at: `exomonad console AGENT` begins with one.',
        )
      if (context.environment.variables['TERM'] === 'dumb') {
        throw new UsageError(
          'TERM is `dumb`: the console needs a terminal that can place text. Without one there are `exomonad tree`, `logs` and `send`.',
        )
      }
      if (json || context.terminal.stdout.isTTY !== true || context.terminal.stdin.isTTY !== true) {
        throw new UsageError(
          'The console needs a terminal to read from and write to. Without one there are `exomonad tree`, `logs`, `send`, `wait`, `mail`, `fork`, `capture`, `reap`, `kill`, `inbox`, `answer`, `approve` and `deny`, each with --json.',
        )
      }
      const { runConsole } = await import('./run.ts')
      await runConsole(context, agent)
    })
}
