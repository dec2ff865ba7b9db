import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { readMessage } from '../read-stdin.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<agent>', 'Id, branch or name of the agent that asked')
    .argument('<message...>', 'The answer; - reads it from standard input')
    .option('-q, --question <id>', 'A certain question; default: the oldest open one of that agent')
    .action(async (agent: string, words: string[], options: { question?: string }) => {
      const message = await readMessage(context, words, 'answer')
      const client = await context.client()
      const input = {
        agent,
        message,
        ...(options.question === undefined ? {} : { question_id: options.question }),
      }
      const answer = await client.call('answer_question', input)
      present(context, answer, () => [
        `${context.palette().good('✓')} ${answer.status === 'delivered' ? 'Delivered to' : 'On its way to'} ${printableLine(agent)} ${context.palette().dim(`(${answer.question_id})`)}`,
      ])
    })
}
