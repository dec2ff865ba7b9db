import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { readMessage } from '../read-stdin.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<message...>', 'The text; - reads it from standard input')
    .option(
      '--stop-reason',
      'This is why you stop with work uncommitted or not rebased; lets the stop check pass',
    )
    .action(async (words: string[], options: { stopReason?: boolean }) => {
      const message = await readMessage(context, words)
      const client = await context.client()
      const answer = await client.call('note', {
        message,
        stop_reason: options.stopReason === true,
      })
      present(context, answer, () => [`${context.palette().good('✓')} Noted`])
    })
}
