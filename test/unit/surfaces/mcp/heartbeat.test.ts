import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startHeartbeat } from '../../../../src/surfaces/mcp/heartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the heartbeat of a call', () => {
  it('beats well within a minute, rises, and repeats what is being waited for', () => {
    const reported: [number, string][] = []
    const heartbeat = startHeartbeat('question', (...sign) => reported.push(sign), Date.now)
    vi.advanceTimersByTime(2000)
    heartbeat.say('Waiting for the answer')
    vi.advanceTimersByTime(20_000)
    expect(reported).toEqual([
      [1, 'question goes on (2 s)'],
      [2, 'Waiting for the answer'],
      [3, 'Waiting for the answer (12 s)'],
      [4, 'Waiting for the answer (22 s)'],
    ])
  })

  it('is silent for short calls and after the end', () => {
    const reported: unknown[] = []
    const heartbeat = startHeartbeat('note', (...sign) => reported.push(sign), Date.now)
    vi.advanceTimersByTime(1999)
    heartbeat.stop()
    heartbeat.say('too late')
    vi.advanceTimersByTime(120_000)
    expect(reported).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
