import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { whereItRuns } from '../../text/no-terminal.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { readStdin } from '../read-stdin.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('[task...]', 'What the whole tree is to do; - reads it from standard input')
    .option(
      '-a, --agent <program>',
      'Another program than the tl role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]',
    )
    .option('--attach', 'Show the root’s terminal, or its stream, at once')
    .action(async (words: string[], options: { agent?: string; attach?: boolean }) => {
      const task =
        words.length === 1 && words[0] === '-'
          ? (await readStdin(context)).trim()
          : words.join(' ').trim()
      const client = await context.client()
      const input = {
        ...(task === '' ? {} : { task }),
        ...(options.agent === undefined ? {} : { agent: options.agent }),
      }
      const answer = await withProgress(
        context,
        'Launching the root’s agent',
        client.call('up', input),
      )
      if (options.attach === true) {
        const { showTerminal } = await import('../agents/attach.ts')
        return showTerminal(context, answer.agent_id)
      }
      present(context, answer, () => describe(context, answer))
    })
}

function describe(context: CliContext, answer: ToolResult<'up'>): string[] {
  const palette = context.palette()
  const headline = answer.already ? 'The root’s agent was running already' : 'The root’s agent runs'
  return [
    `${palette.good('✓')} ${headline} ${palette.dim(whereItRuns(answer.pane))}`,
    ...answer.warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
    `  ${palette.dim('all on one screen')}   exomonad console   ${palette.dim('what it shows')}   exomonad attach root`,
  ]
}
