import type { Command } from 'commander'
import type { InboxItem } from '../../core/core.ts'
import type { CliContext } from './context.ts'
import { indented } from './indented.ts'
import { present } from './output.ts'
import { printableLine } from './printable.ts'
import { relativeTime } from './relative-time.ts'

interface Inbox {
  readonly messages: readonly InboxItem[]
  readonly questions: readonly { question_id: string; agent: string; message: string; asked_at: number }[]
  readonly approvals: readonly { approval_id: string; agent: string; what: string; requested_at: number }[]
}

export function define(command: Command, context: CliContext): void {
  command.option('--clear', 'Mark the messages as read').action(async (options: { clear?: boolean }) => {
    const client = await context.client()
    const inbox = await client.callTool<Inbox>('inbox', { clear: options.clear === true })
    present(context, inbox, () => describe(context, inbox, options.clear === true))
  })
}

function describe(context: CliContext, { messages, questions, approvals }: Inbox, cleared: boolean): string[] {
  const palette = context.palette()
  const when = (at: number): string => palette.dim(relativeTime(at, context.now()))
  // A question that is open stands above already, with the command that answers it.
  const told = messages.filter((message) => !questions.some((question) => question.question_id === message.question_id))
  const blocks = [
    ...questions.map((question) => [
      `${palette.attention('? question')} from ${palette.bold(printableLine(question.agent))} ${when(question.asked_at)}`,
      ...indented(question.message),
      palette.dim(`  exomonad answer ${printableLine(question.agent)} "…" --question ${question.question_id}`),
    ]),
    ...approvals.map((approval) => [
      `${palette.attention('! approval')} asked by ${palette.bold(printableLine(approval.agent))} ${when(approval.requested_at)}`,
      ...indented(approval.what),
      palette.dim(`  exomonad approve ${approval.approval_id}   or   exomonad deny ${approval.approval_id} --reason "…"`),
    ]),
    ...told.map((message) => [`${palette.active('●')} ${printableLine(message.kind)} ${when(message.at)}`, ...indented(message.text)]),
  ]
  if (blocks.length === 0) return ['Nothing waits for you']
  const hint = told.length === 0 || cleared ? [] : ['', palette.dim('exomonad inbox --clear marks the messages as read')]
  return [...blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])), ...hint]
}
