import type { StoredEvent } from '../records.ts'

/** Of deliveries that bring the words of a mail: whoever takes the one has taken the other. */
export const mailSubject = (id: string): string => `mail:${id}`

/** The mail whose words such a delivery brings. */
export const mailIn = (subject: string | null): string | undefined =>
  subject?.startsWith('mail:') === true ? subject.slice('mail:'.length) : undefined

/** Of the line that notifies an agent of its mail. */
export const lineFor = (agentId: string): string => `mail-for:${agentId}`

/** What a message about mail is about; null for all else. */
export function mailSubjectOf({ type, agentId, dedupeKey, payload }: StoredEvent): string | null {
  if (type === 'mail') return agentId === null ? null : lineFor(agentId)
  if (type === 'message')
    return typeof payload['mail_id'] === 'string' ? mailSubject(payload['mail_id']) : null
  // A completion message: its words are the event’s.
  return (type === 'agent.completed' || type === 'agent.failed') &&
    dedupeKey?.startsWith('mail:') === true
    ? dedupeKey
    : null
}
