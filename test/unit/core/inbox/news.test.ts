import { describe, expect, it } from 'vitest'
import { itemCalled } from '../../../../src/core/inbox/called.ts'
import { ANNOUNCEMENTS, foldNews, isNews } from '../../../../src/core/inbox/news.ts'
import { newDeliveryId, type AgentId, type QuestionId } from '../../../../src/domain/ids.ts'
import { pull } from '../../pull-watch/pull.ts'
import { item } from '../../surfaces/text/sample-inbox.ts'
import { makeAgent } from '../make-agent.ts'

describe('news', () => {
  const message = (kind: string, facts: { text?: string; subject?: string } = {}) => ({
    kind,
    text: facts.text ?? '',
    subject: facts.subject ?? null,
  })
  const nothing = { questions: [], pulls: [] }

  it('are all messages but those that announce an item', () => {
    for (const kind of ['note', 'agent.idle', 'pr.merged', 'message', 'ci.failed'])
      expect(isNews(message(kind), nothing, new Set())).toBe(true)
    for (const kind of ANNOUNCEMENTS) expect(isNews(message(kind), nothing, new Set())).toBe(false)
  })

  it('are announcements of what stands and is nobody’s item, so that nothing is lost', () => {
    const asked = message('question.asked', { text: '[QUESTION] auth asks (q-11111111): x' })
    const question = { id: 'q-11111111' as QuestionId } as never
    expect(isNews(asked, { ...nothing, questions: [question] }, new Set())).toBe(true)
    expect(
      isNews(asked, { ...nothing, questions: [question] }, new Set(['question:q-11111111'])),
    ).toBe(false)
    const ready = pull({ checksState: 'passed', checks: [], mergeable: 'mergeable' })
    const told = message('pr.ready', { subject: ready.url })
    expect(isNews(told, { ...nothing, pulls: [ready] }, new Set())).toBe(true)
    expect(isNews(told, { ...nothing, pulls: [ready] }, new Set([`pull:${ready.number}`]))).toBe(
      false,
    )
    expect(isNews(told, { ...nothing, pulls: [{ ...ready, state: 'merged' }] }, new Set())).toBe(
      false,
    )
  })

  it('are one line for each agent, those with the newest first', () => {
    const [auth, docs] = [makeAgent({ name: 'auth' }), makeAgent({ name: 'docs' })]
    const sent = (kind: string, text: string, createdAt: number) => ({
      id: newDeliveryId(),
      ...{ kind, text, createdAt },
    })
    const news = [
      sent('note', 'b', 2),
      sent('note', 'a', 1),
      sent('pr.merged', 'c', 3),
      sent('x', 'd', 0),
    ]
    const about = new Map<string, AgentId | null>(
      news.map(({ id }, index) => [id, [auth.id, auth.id, docs.id, null][index] ?? null]),
    )
    expect(foldNews(news, [auth, docs], about)).toEqual([
      {
        ...{ agent: 'docs', agent_id: docs.id, count: 1, kinds: ['pr.merged'] },
        newest: { kind: 'pr.merged', text: 'c', at: 3 },
        messages: [news[2]?.id],
      },
      {
        ...{ agent: 'auth', agent_id: auth.id, count: 2, kinds: ['note'] },
        newest: { kind: 'note', text: 'b', at: 2 },
        messages: [news[1]?.id, news[0]?.id],
      },
      expect.objectContaining({ agent: null, agent_id: null, count: 1 }),
    ])
    // Written in the same millisecond: in the order of the store.
    const atOnce = news.slice(1).map((one) => ({ ...one, createdAt: 1 }))
    expect(foldNews(atOnce, [auth, docs], about).map(({ agent }) => agent)).toEqual([
      null,
      'docs',
      'auth',
    ])
  })
})

describe('an item', () => {
  const items = [
    item({ number: 1, id: 'question:q-11111111' }),
    item({ number: 2, id: 'question:q-12222222' }),
    item({ number: 3, id: 'pull:2', type: 'pull' }),
  ] as unknown as Parameters<typeof itemCalled>[0]

  it.each([
    ['2', 'question:q-12222222'],
    ['question:q-12222222', 'question:q-12222222'],
    ['q-12', 'question:q-12222222'],
    ['pull:2', 'pull:2'],
  ])('is called %s', (called, id) => {
    expect(itemCalled(items, called).id).toBe(id)
  })

  it.each([
    ['4', /There is no item 4: 3 items need you now.*exomonad inbox/],
    ['0', /There is no item 0/],
    ['q-9', /There is no item q-9.*happened/],
    ['q-1', /“q-1” begins 2 items: question:q-11111111, question:q-12222222/],
  ])('is not called %s, which says what to do', (called, words) => {
    expect(() => itemCalled(items, called)).toThrow(words)
  })
})
