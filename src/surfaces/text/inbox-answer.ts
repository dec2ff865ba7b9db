/**
 * What waits for the person, as the `inbox` tool gives it. Times are milliseconds since the epoch.
 */
export interface Inbox {
  readonly messages: readonly {
    id: string
    kind: string
    text: string
    at: number
    question_id: string | null
  }[]
  readonly questions: readonly {
    question_id: string
    agent: string
    message: string
    asked_at: number
  }[]
  readonly approvals: readonly {
    approval_id: string
    agent: string
    what: string
    requested_at: number
  }[]
}

/**
 * The messages without those that only tell of what is still to be decided: that stands there
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
