import type { Inbox } from '../../../../src/surfaces/text/inbox/inbox-answer.ts'

type Item = Inbox['items'][number]

/** An item with nothing special about it but what is given. */
export const item = (facts: Partial<Item> = {}): Item => ({
  number: 1,
  id: 'question:q-11111111',
  type: 'question',
  agent: 'auth',
  agent_id: 'id-auth',
  since: 0,
  title: 'auth asks: Which database?',
  text: 'Which database?',
  settle: ['exomonad answer auth "…" --question q-11111111'],
  ...facts,
})

/** An inbox with an item for each question and approval that is given, and these news. */
export function inboxOf({
  questions = [],
  approvals = [],
  messages = [],
  news = [],
}: Partial<Omit<Inbox, 'items'>> = {}): Inbox {
  const items = [
    ...questions.map(({ question_id: id, agent, message: text, asked_at: since }) =>
      item({ id: `question:${id}`, agent, agent_id: `id-${agent}`, text, since }),
    ),
    ...approvals.map(({ approval_id: id, agent, what: text, requested_at: since }) =>
      item({
        id: `approval:${id}`,
        type: 'permission',
        agent,
        agent_id: `id-${agent}`,
        text,
        since,
      }),
    ),
  ].map((one, index) => ({ ...one, number: index + 1 }))
  const paged = { next: null, total: items.length, by_type: {} }
  return { items, ...paged, news, messages, questions, approvals }
}
