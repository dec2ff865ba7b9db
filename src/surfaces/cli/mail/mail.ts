import type { Command } from 'commander'
import { completionWords } from '../../../domain/formats/completion-message.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { indented } from '../../text/indented.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { relativeTime } from '../../text/relative-time.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option('--peek', 'Leave the messages where they are')
    .action(async (options: { peek?: boolean }) => {
      const client = await context.client()
      const mail = await client.call('check_mail', { peek: options.peek === true })
      present(context, mail, () => describe(context, mail, options.peek === true))
    })
}

function describe(
  context: CliContext,
  { messages }: ToolResult<'check_mail'>,
  peeked: boolean,
): string[] {
  const palette = context.palette()
  if (messages.length === 0) return ['No mail']
  const blocks = messages.map(({ from, name, message, sent_at }) => [
    `${palette.active('●')} from ${palette.bold(printableLine(name))} ${palette.dim(`${printableLine(from)}, ${relativeTime(sent_at, context.now())}`)}`,
    ...indented(completionWords(message)),
  ])
  const hint = peeked ? ['', palette.dim('exomonad mail takes it')] : []
  return [...blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])), ...hint]
}
