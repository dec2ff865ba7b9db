import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { messagesOf, type Inbox } from '../../text/inbox-answer.ts'
import { indented } from '../../text/indented.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { relativeTime } from '../../text/relative-time.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option('--clear', 'Mark the messages as read')
    .action(async (options: { clear?: boolean }) => {
      const client = await context.client()
      const inbox = await client.call('inbox', { clear: options.clear === true })
      present(context, inbox, () => describe(context, inbox, options.clear === true))
    })
}

function describe(context: CliContext, inbox: Inbox, cleared: boolean): string[] {
  const { questions, approvals } = inbox
  const palette = context.palette()
  const when = (at: number): string => palette.dim(relativeTime(at, context.now()))
  const told = messagesOf(inbox)
  const blocks = [
    ...questions.map((question) => [
      `${palette.attention('? question')} from ${palette.bold(printableLine(question.agent))} ${when(question.asked_at)}`,
      ...indented(question.message),
      palette.dim(
        `  exomonad answer ${printableLine(question.agent)} "…" --question ${question.question_id}`,
      ),
    ]),
    ...approvals.map((approval) => [
      `${palette.attention('! approval')} asked by ${palette.bold(printableLine(approval.agent))} ${when(approval.requested_at)}`,
      ...indented(approval.what),
      palette.dim(
        `  exomonad approve ${approval.approval_id}   or   exomonad deny ${approval.approval_id} --reason "…"`,
      ),
    ]),
    ...told.map((message) => [
      `${palette.active('●')} ${printableLine(message.kind)} ${when(message.at)}`,
      ...indented(message.text),
    ]),
  ]
  if (blocks.length === 0) return ['Nothing waits for you']
  const hint =
    told.length === 0 || cleared
      ? []
      : ['', palette.dim('exomonad inbox --clear marks the messages as read')]
  return [...blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])), ...hint]
}
