import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<messages...>', 'Their ids: m-… at the end of each message')
    .action(async (ids: string[]) => {
      const client = await context.client()
      const answer = await client.call('ack', { ids })
      if (answer.unknown.length > 0) context.markFailed()
      present(context, answer, () => [
        ...(answer.acked.length > 0
          ? [`${context.palette().good('✓')} ${answer.acked.join(' ')}`]
          : []),
        ...answer.unknown.map(
          (id) =>
            `${context.palette().bad('✗')} ${printableLine(id)} is no message of yours that is on its way`,
        ),
      ])
    })
}
