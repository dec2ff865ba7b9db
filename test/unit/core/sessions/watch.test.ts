import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createSessionWatch } from '../../../../src/core/sessions/session-watch.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One session with a deadline; what its host says of it, and how it was ended. */
function world({ deadline, inRunner }: { deadline: number; inRunner: 'idle' | 'running' }) {
  const agents = new Map<AgentId, Agent>()
  const agent = makeAgent({ kind: 'llm', runtime: 'acp', paneId: 'r-1' as never, state: 'running' })
  agents.set(agent.id, agent)
  const ended: string[] = []
  let failures = 0
  const end = (how: string) => async (now: Agent) => {
    if (failures > 0) {
      failures--
      throw new Error('the store is busy')
    }
    ended.push(how)
    agents.set(now.id, { ...now, state: how === 'turn over' ? 'completed' : 'failed' })
  }
  const watch = createSessionWatch({
    store: {
      agents: {
        get: async (id: AgentId) => agents.get(id),
        list: async () => [...agents.values()],
      },
      runs: { get: async () => ({ deadline }) },
      subscribe: () => () => {},
    } as never,
    detached: {
      session: async () => ({
        agentId: agent.id,
        state: inRunner,
        reason: inRunner === 'idle' ? 'end_turn' : null,
        turns: 1,
        lastText: 'done',
      }),
    } as never,
    clock: Date.now,
    log: silentLog(),
    ends: { turnOver: end('turn over'), timedOut: end('timed out') },
  })
  return { agent, ended, watch, failNext: (times: number) => (failures = times) }
}

describe('the deadline of a session', () => {
  it('ends it when it passes', async () => {
    const { agent, ended, watch } = world({ deadline: Date.now() + 5_000, inRunner: 'running' })
    await watch.begin(agent.id)
    await vi.advanceTimersByTimeAsync(4_999)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toEqual(['timed out'])
    await watch.stop()
  })

  it('that passed while the daemon was away does not fail a session whose turn was over in time', async () => {
    const { ended, watch } = world({ deadline: Date.now() - 1, inRunner: 'idle' })
    await watch.recover()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(['turn over'])
    await watch.stop()
  })

  it('is seen to by the next look where the session could not be ended when it passed', async () => {
    const { agent, ended, watch, failNext } = world({
      deadline: Date.now() + 1_000,
      inRunner: 'running',
    })
    await watch.begin(agent.id)
    failNext(1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ended).toEqual([])
    await watch.look(agent)
    expect(ended).toEqual(['timed out'])
    await watch.stop()
  })
})
