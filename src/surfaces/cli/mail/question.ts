import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { parseDuration } from '../../text/duration.ts'
import { UsageError } from '../exit-codes.ts'
import { present } from '../output.ts'
import { printable } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { readMessage } from '../read-stdin.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<message...>', 'The question; - reads it from standard input')
    .option(
      '-t, --timeout <duration>',
      'How long to wait, such as 90s or 5m; default from the configuration',
      (text) => {
        const seconds = parseDuration(text)
        if (seconds === undefined)
          throw new UsageError(`--timeout ${text}: expected a duration such as 90s or 5m.`)
        return seconds
      },
    )
    .action(async (words: string[], options: { timeout?: number }) => {
      const message = await readMessage(context, words, 'question')
      const client = await context.client()
      const input = {
        message,
        ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
      }
      const answer = await withProgress(
        context,
        'Waiting for the answer',
        client.call('question', input),
      )
      present(context, answer, () =>
        answer.status === 'answered'
          ? [printable(answer.answer)]
          : [
              `No answer yet. ${answer.question_id} stays open, and the answer will come as a message.`,
            ],
      )
    })
}
