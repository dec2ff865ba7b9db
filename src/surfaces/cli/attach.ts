import type { Command } from 'commander'
import type { CliContext } from './context.ts'
import { present } from './output.ts'
import { quoteForShell } from './shell-quote.ts'

interface AttachAnswer {
  readonly agent_id: string
  readonly multiplexer: string
  readonly pane: string
  readonly argv: readonly string[] | null
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[agent]', 'Id, branch or name; default: the root')
    .option('--print', 'Print the command that shows it, run nothing')
    .action(async (agent: string | undefined, options: { print?: boolean }) => showTerminal(context, agent ?? 'root', options.print === true))
}

/** The Zellij session that this terminal is in, as the tool takes it. */
export const insideZellij = ({ inside, variables }: CliContext['environment']): { inside?: string } =>
  inside.zellij ? { inside: variables['ZELLIJ_SESSION_NAME'] ?? '' } : {}

/** Puts this terminal in front of the agent’s pane; where it can’t, prints the command, or follows the pane’s text. */
export async function showTerminal(context: CliContext, agent: string, print = false): Promise<void> {
  const client = await context.client()
  const answer = await client.callTool<AttachAnswer>('attach', { agent, ...insideZellij(context.environment) })
  const { stdout } = context.terminal
  if (answer.argv === null && !print && !context.options().json) {
    const { followScreen } = await import('./logs.ts')
    context.terminal.stderr.write(
      context.palette().dim('There is no window of it to show: this follows what the agent writes. Ctrl-C ends that; write with `exomonad send`.\n'),
    )
    return followScreen(context, client, agent, 200)
  }
  if (print || context.options().json || stdout.isTTY !== true || answer.argv === null) {
    return present(context, answer, () => [
      answer.argv === null ? `Pane ${answer.pane} of ${answer.multiplexer}; \`exomonad logs ${agent}\` shows it` : quoteForShell(answer.argv),
    ])
  }
  const code = await context.host.runOnTerminal(answer.argv, context.options().cwd)
  if (code !== 0) context.markFailed()
}
