import type { ToolResult } from '../../tools/types.ts'

/**
 * What waits for the person, as the `inbox` tool gives it. Times are milliseconds since the epoch.
 */
export type Inbox = ToolResult<'inbox'>

/**
 * The messages without those that only announce what is still to be decided: that stands there
 * itself, with what decides it.
 */
export function messagesOf({ messages, questions, approvals }: Inbox): Inbox['messages'] {
  return messages
    .filter(
      ({ question_id }) => !questions.some((question) => question.question_id === question_id),
    )
    .filter(
      ({ kind, text }) =>
        kind !== 'approval.requested' ||
        !approvals.some(({ approval_id }) => text.includes(approval_id)),
    )
}
