import { expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createBlockingCalls } from '../../../../src/core/turns/blocking-calls.ts'
import type { States } from '../../../../src/core/agents/states.ts'
import { makeAgent } from '../make-agent.ts'

it('a call that is just ending is not taken for one that a restart cut off', async () => {
  let agent: Agent = makeAgent({ state: 'idle', stateReason: null })
  const reasons: (string | null)[] = []
  let gate = Promise.resolve()
  const change: States['change'] = async (_id, { to, reason = null, onlyIf }) => {
    await gate
    if (onlyIf?.(agent) === false) return undefined
    reasons.push(reason)
    return (agent = { ...agent, state: to, stateReason: reason })
  }
  const calls = createBlockingCalls({ states: { change, seen: () => Promise.resolve() } })
  const end = await calls.begin(agent, 'wait')
  const asListed = agent
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const ended = end()
  // Upkeep goes by a list that it read while the call was open.
  gate = Promise.resolve()
  await calls.settleCutOff(asListed)
  resolve()
  await ended
  expect(agent).toMatchObject({ state: 'idle', stateReason: null })
  expect(reasons).toEqual(['wait', null])
  // The next call begins from what is true then, whatever its caller last read.
  const asRead = agent
  agent = { ...agent, state: 'running' }
  await (
    await calls.begin(asRead, 'wait')
  )()
  expect(agent.state).toBe('running')
})
