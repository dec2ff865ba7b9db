import { expect, it } from 'vitest'
import type { NoticeKind } from '../../../../src/adapters/notify/target.ts'
import { composeNotice } from '../../../../src/delivery/notify/notice.ts'

let count = 0
const item = (kind: NoticeKind, agent: string | null, text = 'secret words', subject?: string) => {
  const id = `d-${++count}`
  return { id, kind, event: 'x', agent, at: count, text, subject: subject ?? id }
}

it('counts by kind and names agents, without any words of theirs', () => {
  const items = [
    item('pull_request', 'w1'),
    item('question', 'auth'),
    item('question', 'db'),
    item('question', 'auth'),
    item('failure', null),
    ...[1, 2, 3, 4, 5, 6, 7].map((n) => item('waiting', `a${n}`)),
  ]
  const notice = composeNotice('phone', items, { text: false })
  expect([notice.title, ...notice.body.split('\n')]).toEqual([
    'exomonad: 12 things need you',
    '3 questions (auth, db)',
    '7 agents wait in their terminals (a1, a2, a3, a4, a5, 2 more)',
    '1 failed agent',
    '1 pull request (w1)',
  ])
  expect(JSON.stringify(notice)).not.toContain('secret')
})

it('adds the words where they may be sent, cut to what a person reads there', () => {
  const notice = composeNotice('desk', [item('question', 'a', 'x'.repeat(9000))], { text: true })
  expect(notice.title).toBe('exomonad: 1 thing needs you')
  expect(notice.body).toBe(`1 question (a)\n\n${'x'.repeat(399)}…`)
})

it('says what is about the same but once, as it is by now', () => {
  const items = [
    item('waiting', 'w', 'first', 'waiting w'),
    item('waiting', 'w', 'by now', 'waiting w'),
  ]
  const notice = composeNotice('desk', items, { text: true })
  expect(notice.body).toBe('1 agent waits in its terminal (w)\n\nby now')
})

it('has an id that only who is told of what makes', () => {
  const [a, b] = [item('question', 'a'), item('question', 'b')]
  const id = (target: string, items: readonly ReturnType<typeof item>[]) =>
    composeNotice(target, items, { text: false }).id
  expect(id('x', [a, b])).toBe(id('x', [b, a]))
  expect(new Set([id('x', [a]), id('x', [b]), id('y', [a]), id('x', [a, b])]).size).toBe(4)
})

it('is the message as it stands for notify.command', () => {
  const plain = { text: true, isPlain: true }
  const alone = composeNotice('notify.command', [item('question', 'a', '[QUESTION] a: x')], plain)
  expect([alone.title, alone.body]).toEqual(['[QUESTION] a: x', ''])
  const several = [item('question', 'a', 'one'), item('failure', 'b', 'two')]
  expect(composeNotice('notify.command', several, plain).title).toBe('exomonad: 2 things need you')
})
