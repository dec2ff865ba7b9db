import { describe, expect, it } from 'vitest'
import type { WireEvent } from '../../../src/surfaces/client.ts'
import {
  following,
  isSettledBy,
  itemsLike,
  typesOf,
  unchosen,
} from '../../../web/src/views/inbox/items.ts'
import { settledBy } from '../../../web/src/views/inbox/settled.ts'
import { item } from '../surfaces/text/sample-inbox.ts'

const event = (type: string, payload: Record<string, unknown>, facts: Partial<WireEvent> = {}) => ({
  ...{ seq: 1, type, at: 0, agentId: null, actor: 'human', why: null, payload },
  ...facts,
})
const nameOf = (actor: string) => (actor === 'human' ? 'Somebody' : actor)

describe('the items of the inbox', () => {
  const items = [
    item(),
    item({ id: 'failed:a', type: 'failed', title: 'api failed', text: 'exit 3', agent: 'api' }),
    item({ id: 'pull:3', type: 'pull', title: '#3 can be merged', text: '', agent: 'auth' }),
  ]

  it('are found by all words, in whatever of them they stand', () => {
    const found = (text: string, type: null | 'failed' = null) =>
      itemsLike(items, { type, text }).map(({ id }) => id)
    expect(found('')).toHaveLength(3)
    expect(found('AUTH merged')).toEqual(['pull:3'])
    expect(found('exit api')).toEqual(['failed:a'])
    expect(found('auth', 'failed')).toEqual([])
  })

  it('have those types beside them that there are', () =>
    expect(typesOf({ pull: 2, question: 1, failed: 0 })).toEqual(['question', 'pull']))

  it('are settled by what is among their commands, as a word', () => {
    const failed = item({ settle: ['exomonad logs a.merge', 'exomonad resume a'] })
    expect(isSettledBy(failed, 'resume')).toBe(true)
    expect(isSettledBy(failed, 'merge')).toBe(false)
  })

  it('make way for the next that is left, else the one before', () => {
    expect(following(['a', 'b', 'c', 'd'], ['a', 'd'], 'b')).toBe('d')
    expect(following(['a', 'b', 'c'], ['a', 'b'], 'c')).toBe('b')
    expect(following(['a'], [], 'a')).toBeNull()
    expect(following(['a'], ['x', 'y'], 'gone')).toBe('x')
  })

  it('begin with the first, and none takes the place of one that is answered', () => {
    const [older, answered] = [item({ id: 'question:older' }), item()]
    expect(unchosen([answered], undefined, false)).toBe(answered)
    expect(unchosen([older, answered], answered.id, true)).toBe(answered)
    expect(unchosen([older, answered], answered.id, false)).toBe(older)
    expect(unchosen([older], answered.id, true)).toBe(older)
    expect(unchosen([], answered.id, true)).toBeUndefined()
  })
})

describe('who settled an item', () => {
  it('is whoever answered that question, in their words', () => {
    const answered = (id: string, answer: string) =>
      event('question.answered', { question_id: id, answer, by: 'human' })
    const events = [answered('q-11111111', 'Cookies.\u202e'), answered('q-2', 'Another')]
    expect(settledBy(item(), events, nameOf)).toBe('Somebody answered: Cookies.')
    expect(settledBy(item({ id: 'question:q-3' }), events, nameOf)).toBeNull()
  })

  it('is whoever decided, with the reason, or the end of its agent', () => {
    const permission = item({ id: 'approval:ap-1', type: 'permission' })
    const decided = (facts: Record<string, unknown>) =>
      event('approval.decided', { approval_id: 'ap-1', decision: 'denied', reason: null, ...facts })
    expect(settledBy(permission, [decided({ reason: 'too much' })], nameOf)).toBe(
      'Somebody denied it: too much.',
    )
    expect(settledBy(permission, [decided({ ended: true })], nameOf)).toMatch(/agent ended/)
  })

  it('is whoever merged the pull request, or started the agent again', () => {
    const pull = item({ id: 'pull:3', type: 'pull' })
    const merged = (number: number) => event('pr.merged', { number }, { actor: 'lead' })
    expect(settledBy(pull, [merged(33), merged(3)], nameOf)).toBe('lead merged it.')
    const failed = item({ id: 'failed:id-auth', type: 'failed' })
    const started = event('agent.started', { resumed: true }, { agentId: 'id-auth' })
    expect(settledBy(failed, [started], nameOf)).toBe('Somebody started the agent again.')
  })
})
