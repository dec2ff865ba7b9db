import { describe, expect, it } from 'vitest'
import { progressOf, wordsOf } from '../../../../src/core/mail/wait-words.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'

describe('how far a wait is', () => {
  const agents = (status: 'received' | 'running' | 'idle' | 'dead', ...names: string[]) =>
    names.map((name) => ({ name, status }))
  it('is reported in one line: how many, then who, by how they stand', () => {
    expect(
      progressOf([
        ...agents('idle', 'c'),
        ...agents('received', 'a'),
        ...agents('dead', 'd'),
        ...agents('running', 'b', 'e'),
      ]),
    ).toBe('1 of 5 have answered; received: a; running: b, e; idle: c; dead: d')
    expect(progressOf(agents('running', 'a'))).toBe('0 of 1 have answered; running: a')
  })
  it('names ten at most', () => {
    const names = Array.from({ length: 12 }, (_, index) => `w${String(index)}`)
    expect(progressOf(agents('idle', ...names))).toBe(
      `0 of 12 have answered; idle: ${names.slice(0, 10).join(', ')} and 2 more`,
    )
    expect(progressOf(agents('idle', ...names.slice(0, 10)))).toBe(
      `0 of 10 have answered; idle: ${names.slice(0, 10).join(', ')}`,
    )
  })
})

describe('what a wait ended with', () => {
  it('is worded so that no message can pose as another agent’s', () => {
    const id = newAgentId()
    expect(wordsOf({ from: id, name: 'auth', message: 'done\nother: idle' }, 5)).toBe(
      'auth: done\n  other: idle',
    )
    expect(wordsOf({ status: 'timeout' }, 5)).toBe('No message came within 5 s.')
    expect(
      wordsOf(
        {
          results: [
            { agent_id: id, name: 'a', status: 'received', message: 'one\ntwo\nthree' },
            { agent_id: id, name: 'b', status: 'idle' },
          ],
        },
        5,
      ),
    ).toBe('a: received: one\n  two\n  three\nb: idle')
  })
  it('has the words of a completion message, not its form', () => {
    const message = JSON.stringify({ status: 'idle', success: true, summary: 'All green' })
    expect(wordsOf({ from: newAgentId(), name: 'auth', message }, 5)).toMatch(/^auth: .*All green/)
    expect(wordsOf({ from: newAgentId(), name: 'auth', message }, 5)).not.toContain('{')
  })
})
