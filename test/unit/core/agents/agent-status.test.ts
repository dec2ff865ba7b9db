import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { describeStatus, statusOf } from '../../../../src/core/agents/agent-status.ts'
import { resolveAddress } from '../../../../src/core/agents/tree.ts'
import { asBranchName } from '../../../../src/domain/ids.ts'
import { verifies } from '../../../requirements.ts'
import { makeAgent } from '../make-agent.ts'

describe('the status of an agent', () => {
  it('is running in every live state, but for agents that idle with their work reported', () => {
    const success = { success: true, summary: 'done' }
    for (const state of ['spawning', 'running', 'waiting', 'unknown'] as const)
      expect(statusOf({ state, outcome: success })).toBe('running')
    expect(statusOf({ state: 'idle', outcome: null })).toBe('running')
    expect(statusOf({ state: 'idle', outcome: success })).toBe('completed')
    expect(statusOf({ state: 'idle', outcome: { success: false, error: 'no' } })).toBe('failed')
    for (const state of ['completed', 'failed', 'killed'] as const)
      expect(statusOf({ state, outcome: success })).toBe(state)
  })

  it.each<[string, Partial<Agent>, number | null]>([
    ['has none while it works', { state: 'running', outcome: { success: true, at: 5 } }, null],
    [
      'is when it reported, whatever it was woken for since then',
      { state: 'idle', stateAt: 70, outcome: { success: true, at: 5 } },
      5,
    ],
    [
      'is when it began to idle, of reports from before these had a time',
      { state: 'idle', stateAt: 70, outcome: { success: true } },
      70,
    ],
    [
      'is when it reported where its program ended well after that',
      { state: 'completed', endedAt: 90, outcome: { success: true, at: 5 } },
      5,
    ],
    [
      'is when it ended where that was reported later',
      { state: 'completed', endedAt: 4, outcome: { success: true, at: 5 } },
      4,
    ],
    [
      'is when it was killed',
      { state: 'killed', endedAt: 90, outcome: { success: true, at: 5 } },
      90,
    ],
    ['is when it failed', { state: 'failed', endedAt: 90, outcome: null }, 90],
  ])('completed_at %s', (_what, facts, at) => {
    const { completed_at: completed } = describeStatus(
      makeAgent({ stateAt: 1, endedAt: null, ...facts }),
      undefined,
    )
    expect(completed).toBe(at === null ? null : new Date(at).toISOString())
  })

  it(
    verifies(
      'R003-09',
      'has no parent for what the root started, and the caller for what others did',
    ),
    () => {
      const root = makeAgent({ name: 'root', kind: 'root', depth: 0 })
      const child = makeAgent({
        kind: 'llm',
        parentId: root.id,
        spawnedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
        toolCalls: 3,
        tokens: 5000,
      })
      const below = makeAgent({
        kind: 'process',
        parentId: child.id,
        depth: 2,
        state: 'completed',
        endedAt: 1000,
      })
      expect(describeStatus(child, root)).toEqual({
        ...{
          agent_id: child.id,
          name: 'worker',
          kind: 'llm',
          parent_id: null,
          depth: 1,
          status: 'running',
          tool_calls: 3,
          tokens: 5000,
          waits: [],
        },
        ...{ spawned_at: '2026-01-02T03:04:05.000Z', completed_at: null },
      })
      expect(describeStatus(below, root)).toMatchObject({
        parent_id: child.id,
        depth: 2,
        status: 'completed',
        completed_at: '1970-01-01T00:00:01.000Z',
      })
    },
  )
})

describe('the address of a session', () => {
  it('is not the branch, which is its caller’s', () => {
    const branch = asBranchName('main.lead')
    const lead = makeAgent({ name: 'lead', branch })
    const sessions = (['llm', 'process', 'spawn', 'delegate', 'fork'] as const).map((kind) =>
      makeAgent({ name: `a-${kind}`, kind, branch }),
    )
    expect(resolveAddress([...sessions, lead], 'main.lead')).toBe(lead)
    for (const session of sessions) {
      expect(resolveAddress([lead, ...sessions], session.name)).toBe(session)
      expect(resolveAddress([lead, ...sessions], session.id)).toBe(session)
    }
  })
})
