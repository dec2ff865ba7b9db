import { expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createEndAgents } from '../../../../src/core/agents/end-agents.ts'
import { createBlockingCalls } from '../../../../src/core/turns/blocking-calls.ts'
import { createHooks } from '../../../../src/core/turns/hooks.ts'
import { STOPPED } from '../../../../src/domain/lifecycle.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { asAgent } from '../../../helpers/mail-world.ts'
import { makeAgent } from '../make-agent.ts'
import { controlWorld } from './control-world.ts'

/** `down` of a root and a worker, whose programs do this while they are being ended. */
async function downWhile(
  work: (
    world: Awaited<ReturnType<typeof controlWorld>> & {
      agent: Agent
      hooks: ReturnType<typeof createHooks>
    },
  ) => Promise<unknown>,
) {
  const world = await controlWorld()
  const { store, states } = world
  const root = makeAgent({ name: 'main', kind: 'root', paneId: asPaneId('%1') })
  const agent = makeAgent({ parentId: root.id, paneId: asPaneId('%2'), tokenHash: 'of-worker' })
  await store.agents.insert(root)
  await store.agents.insert(agent)
  const hooks = createHooks({
    ...world,
    usage: { refresh: () => {} },
    stopChain: async () => ({ decision: 'allow' }),
  })
  const { down } = createEndAgents({
    ...world,
    endPrograms: async (ended) => {
      if (ended.length > 0) await work({ ...world, agent, hooks })
    },
  })
  await down()
  const now = async (): Promise<Agent> => (await store.agents.get(agent.id))!
  return { store, states, agent, hooks, now }
}

it('what a program reports while `down` ends it leaves its agent stopped', async () => {
  const { store, now } = await downWhile(async ({ agent, hooks, states, store }) => {
    await hooks.toolUse(asAgent((await store.agents.get(agent.id))!), {})
    await hooks.waiting(asAgent(agent), 'may it?')
    await hooks.toolUse(asAgent({ ...agent, state: 'idle' }), {}, Date.now() + 1000)
    // A check that was in flight.
    await hooks.stop(asAgent(agent))
    // A call of its own.
    await (
      await createBlockingCalls({ states }).begin(agent, 'wait')
    )()
  })
  expect(await now()).toMatchObject({ state: 'idle', stateReason: STOPPED, paneId: null })
  expect(await store.events.list({ types: ['agent.idle', 'agent.waiting'] })).toEqual([])
})

it('one that `down` stopped and that is started again changes by what its program reports', async () => {
  const { states, agent, hooks, now } = await downWhile(async () => {})
  await states.change(agent.id, { to: 'spawning', source: 'human', actor: 'human' })
  await hooks.toolUse(asAgent(await now()), {})
  expect(await now()).toMatchObject({ state: 'running', stateReason: null })
  await hooks.stop(asAgent(await now()))
  expect(await now()).toMatchObject({ state: 'idle', stateReason: null })
})
