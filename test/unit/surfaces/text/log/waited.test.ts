import { describe, expect, it } from 'vitest'
import type { WireEvent } from '../../../../../src/surfaces/client.ts'
import { waitedForPerson } from '../../../../../src/surfaces/text/log/waited.ts'

/** Seconds after the beginning of the time that is looked at; before it they are negative. */
type Entry = [second: number, type: string, agent: string, facts?: Partial<WireEvent['payload']>]

const SINCE = 1_000_000
const events = (entries: readonly Entry[]): WireEvent[] =>
  entries.map(([second, type, agentId, facts = {}], index) => ({
    seq: index + 1,
    type,
    at: SINCE + second * 1000,
    agentId,
    actor: String(facts['by'] ?? 'human'),
    why: null,
    payload: facts,
  }))
const waited = (entries: readonly Entry[], asking: readonly string[] = []) => {
  const { seconds, count, open } = waitedForPerson(events(entries), {
    since: SINCE,
    now: SINCE + 1000_000,
    asking: new Set(asking),
  })
  return [seconds, count, open]
}
const FROM_WAITING = { from: 'waiting', to: 'running' }

describe('how long agents waited for a person', () => {
  it.each<[string, readonly Entry[], readonly number[]]>([
    ['nothing', [], [0, 0, 0]],
    [
      'a prompt in a terminal, until it goes on',
      [
        [10, 'agent.waiting', 'a'],
        [40, 'agent.state', 'a', FROM_WAITING],
        [50, 'agent.state', 'a', FROM_WAITING],
      ],
      [30, 1, 0],
    ],
    [
      'only changes from waiting end it',
      [
        [10, 'agent.waiting', 'a'],
        [10, 'agent.state', 'a', { from: 'running', to: 'waiting' }],
        [30, 'agent.state', 'b', FROM_WAITING],
        [60, 'agent.state', 'a', FROM_WAITING],
      ],
      [50, 1, 0],
    ],
    [
      'until it was killed',
      [
        [10, 'agent.waiting', 'a'],
        [25, 'agent.killed', 'a'],
      ],
      [15, 1, 0],
    ],
    [
      'an approval and its prompt at once count once',
      [
        [10, 'approval.requested', 'a', { approval_id: 'p-1' }],
        [10, 'agent.waiting', 'a'],
        [40, 'approval.decided', 'a', { approval_id: 'p-1' }],
        [45, 'agent.state', 'a', FROM_WAITING],
      ],
      [35, 2, 0],
    ],
    [
      'what lies within another wait counts nothing',
      [
        [0, 'agent.waiting', 'a'],
        [10, 'approval.requested', 'a', { approval_id: 'p-1' }],
        [20, 'approval.decided', 'a', { approval_id: 'p-1' }],
        [50, 'approval.requested', 'a', { approval_id: 'p-2' }],
        [60, 'approval.decided', 'a', { approval_id: 'p-2' }],
        [100, 'agent.state', 'a', FROM_WAITING],
      ],
      [100, 3, 0],
    ],
    [
      'two agents count both',
      [
        [10, 'agent.waiting', 'a'],
        [10, 'agent.waiting', 'b'],
        [20, 'agent.state', 'a', FROM_WAITING],
        [30, 'agent.state', 'b', FROM_WAITING],
      ],
      [30, 2, 0],
    ],
    [
      'a question that a person answered, not one that its lead did',
      [
        [0, 'question.asked', 'a', { question_id: 'q-1' }],
        [0, 'question.asked', 'b', { question_id: 'q-2' }],
        [60, 'question.answered', 'a', { question_id: 'q-1' }],
        [90, 'question.answered', 'b', { question_id: 'q-2', by: 'lead' }],
      ],
      [60, 1, 0],
    ],
    [
      'what began before counts from the beginning',
      [
        [-500, 'agent.waiting', 'a'],
        [20, 'agent.state', 'a', FROM_WAITING],
        [30, 'approval.decided', 'b', { approval_id: 'p-0' }],
      ],
      [50, 2, 0],
    ],
    [
      'what was over before does not count',
      [
        [-500, 'agent.waiting', 'a'],
        [-400, 'agent.state', 'a', FROM_WAITING],
      ],
      [0, 0, 0],
    ],
    ['what goes on counts until now', [[900, 'agent.waiting', 'a']], [100, 1, 1]],
  ])('%s', (_, entries, expected) => {
    expect(waited(entries)).toEqual(expected)
  })

  it('counts open questions where they are the person’s to answer', () => {
    const asked: Entry[] = [[400, 'question.asked', 'a', { question_id: 'q-1' }]]
    expect(waited(asked)).toEqual([0, 0, 0])
    expect(waited(asked, ['a'])).toEqual([600, 1, 1])
  })
})
