import { describe, expect, it } from 'vitest'
import { describeStatus, statusOf } from '../../../src/core/agent-status.ts'
import { resolveAddress } from '../../../src/core/tree.ts'
import { asBranchName } from '../../../src/ids.ts'
import { verifies } from '../../requirements.ts'
import { makeAgent } from './make-agent.ts'

describe('the status of an agent', () => {
  it('is running in every live state, but for agents that idle with their work reported', () => {
    const success = { success: true, summary: 'done' }
    for (const state of ['spawning', 'running', 'waiting', 'unknown'] as const) expect(statusOf({ state, outcome: success })).toBe('running')
    expect(statusOf({ state: 'idle', outcome: null })).toBe('running')
    expect(statusOf({ state: 'idle', outcome: success })).toBe('completed')
    expect(statusOf({ state: 'idle', outcome: { success: false, error: 'no' } })).toBe('failed')
    for (const state of ['completed', 'failed', 'killed'] as const) expect(statusOf({ state, outcome: success })).toBe(state)
  })

  it(verifies('R003-09', 'has no parent for what the root started, and the caller for what others did'), () => {
    const root = makeAgent({ name: 'root', kind: 'root', depth: 0 })
    const child = makeAgent({ kind: 'llm', parentId: root.id, spawnedAt: Date.UTC(2026, 0, 2, 3, 4, 5), toolCalls: 3, tokens: 5000 })
    const below = makeAgent({ kind: 'process', parentId: child.id, depth: 2, state: 'completed', endedAt: 1000 })
    expect(describeStatus(child, root)).toEqual({
      ...{ agent_id: child.id, name: 'worker', kind: 'llm', parent_id: null, depth: 1, status: 'running', tool_calls: 3, tokens: 5000 },
      ...{ spawned_at: '2026-01-02T03:04:05.000Z', completed_at: null },
    })
    expect(describeStatus(below, root)).toMatchObject({ parent_id: child.id, depth: 2, status: 'completed', completed_at: '1970-01-01T00:00:01.000Z' })
  })
})

describe('the address of a session', () => {
  it('is not the branch, which is its caller’s', () => {
    const branch = asBranchName('main.lead')
    const lead = makeAgent({ name: 'lead', branch })
    const sessions = (['llm', 'process', 'spawn', 'delegate', 'fork'] as const).map((kind) => makeAgent({ name: `a-${kind}`, kind, branch }))
    expect(resolveAddress([...sessions, lead], 'main.lead')).toBe(lead)
    for (const session of sessions) {
      expect(resolveAddress([lead, ...sessions], session.name)).toBe(session)
      expect(resolveAddress([lead, ...sessions], session.id)).toBe(session)
    }
  })
})
