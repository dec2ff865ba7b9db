import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentState } from '../../../src/domain/records.ts'
import {
  hasProgram,
  isAlive,
  isInCall,
  isLasting,
  mayBecome,
  STOPPED,
} from '../../../src/domain/lifecycle.ts'

const STATES: AgentState[] = [
  'spawning',
  'running',
  'idle',
  'waiting',
  'completed',
  'failed',
  'killed',
]

describe('the life of an agent', () => {
  it('never leaves completed or killed, and leaves failed only by being started again', () => {
    for (const to of STATES) {
      expect(mayBecome('completed', to)).toBe(false)
      expect(mayBecome('killed', to)).toBe(false)
      expect(mayBecome('failed', to)).toBe(to === 'spawning')
    }
  })

  it('can be killed from every living state', () => {
    for (const from of STATES.filter(isAlive)) expect(mayBecome(from, 'killed')).toBe(true)
  })

  it('follows any sequence of events to the same end: once dead, only a restart brings it back', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATES), { maxLength: 40 }), (wanted) => {
        let state: AgentState = 'spawning'
        for (const to of wanted) {
          const before: AgentState = state
          if (mayBecome(state, to)) state = to
          if (!isAlive(before))
            expect(state === before || (before === 'failed' && state === 'spawning')).toBe(true)
        }
      }),
    )
  })
})

describe('what may become of an agent', () => {
  /** From each state, all it may go to. */
  const table: Record<AgentState, string> = {
    spawning: 'running idle waiting unknown completed failed killed',
    running: 'idle waiting unknown spawning completed failed killed',
    idle: 'running waiting unknown spawning completed failed killed',
    waiting: 'running idle unknown spawning completed failed killed',
    unknown: 'running idle waiting spawning completed failed killed',
    completed: '',
    failed: 'spawning',
    killed: '',
  }
  it.each(Object.entries(table))('%s', (from, to) => {
    const allowed = Object.keys(table).filter((next) =>
      mayBecome(from as AgentState, next as AgentState),
    )
    expect(allowed.toSorted()).toEqual(to.split(' ').filter(Boolean).toSorted())
  })

  it('it lives until it completed, failed or was killed', () => {
    expect(Object.keys(table).filter((state) => isAlive(state as AgentState))).toEqual([
      'spawning',
      'running',
      'idle',
      'waiting',
      'unknown',
    ])
  })
})

describe('what kind of life it has', () => {
  it('has a program unless it was stopped or never had a terminal', () => {
    const of = (paneId: string | null, stateReason: string | null) =>
      hasProgram({ paneId, stateReason } as Pick<Agent, 'paneId' | 'stateReason'>)
    expect([
      of('%1', null),
      of('%1', 'wait'),
      of(null, null),
      of('%1', STOPPED),
      of('%1', 'stopped'),
    ]).toEqual([true, true, false, false, false])
  })

  it('lasts beyond a turn as root, subtree, worker or fork, and ends with its work as anything else', () => {
    const kinds = ['root', 'subtree', 'worker', 'fork', 'session', 'process', 'subagent'] as const
    expect(kinds.filter((kind) => isLasting({ kind: kind as Agent['kind'] }))).toEqual([
      'root',
      'subtree',
      'worker',
      'fork',
    ])
  })

  it.each([
    ['waiting', 'question q-1', true],
    ['waiting', 'subagent scout', true],
    ['waiting', 'wait', true],
    ['waiting', 'waits for a person', false],
    ['waiting', 'a question', false],
    ['waiting', null, false],
    ['running', 'wait', false],
  ] as const)('is held by a call of ours: %s, %s: %s', (state, stateReason, expected) => {
    expect(isInCall({ state, stateReason })).toBe(expected)
  })
})
