import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentState } from '../../../src/adapters/store/store.ts'
import { isAlive, mayBecome } from '../../../src/core/lifecycle.ts'

const STATES: AgentState[] = ['spawning', 'running', 'idle', 'waiting', 'completed', 'failed', 'killed']

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
          if (!isAlive(before)) expect(state === before || (before === 'failed' && state === 'spawning')).toBe(true)
        }
      }),
    )
  })
})
