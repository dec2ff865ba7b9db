import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { whereItRuns } from '../../text/no-terminal.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('[agent]', 'Id, branch or name')
    .option('--all', 'Every agent whose program is gone')
    .action(async (agent: string | undefined, options: { all?: boolean }) => {
      if ((agent === undefined) === (options.all !== true))
        throw new UsageError('Name an agent, or give --all.')
      const client = await context.client()
      const answer = await withProgress(
        context,
        'Launching again',
        client.call('resume', agent === undefined ? {} : { agent }),
      )
      if (answer.errors.length > 0) context.markFailed()
      present(context, answer, () => describe(context, answer))
    })
}

function describe(context: CliContext, answer: ToolResult<'resume'>): string[] {
  const palette = context.palette()
  if (answer.resumed.length === 0 && answer.errors.length === 0)
    return ['Nothing to do: every agent’s program runs']
  return [
    ...answer.resumed.flatMap((agent) => [
      `${palette.good('✓')} ${printableLine(agent.name)} ${palette.dim(`${agent.session} session, ${whereItRuns(agent.pane)}`)}`,
      ...agent.warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
    ]),
    ...answer.errors.map(
      (error) =>
        `${palette.bad('✗')} ${printableLine(error.name)}: ${printableLine(error.error)} ${palette.dim(`(${error.code})`)}`,
    ),
  ]
}
