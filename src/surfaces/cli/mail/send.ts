import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { readMessage } from '../read-stdin.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<agent>', 'Id, branch or name')
    .argument('<message...>', 'The text; - reads it from standard input')
    .option('--raw', 'What its program gives a meaning to keeps it: @file is read by it, unasked')
    .action(async (to: string, words: string[], { raw }: { raw?: true }) => {
      const message = await readMessage(context, words)
      const client = await context.client()
      const answer = await client.call(raw === undefined ? 'send' : 'send_raw', { to, message })
      present(context, answer, () => [
        `${context.palette().good('✓')} Sent to ${printableLine(to)}`,
      ])
    })
}
