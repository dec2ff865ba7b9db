import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import type { AgentPatch } from '../../src/adapters/store/store.ts'
import { createObserving, type Observing } from '../../src/core/observing.ts'
import { createStates } from '../../src/core/states.ts'
import { silentLog } from '../../src/log.ts'
import { AUTH, paneOf, useOutboxBench } from '../helpers/outbox-bench.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** Looks at a program that correct what is on record of it, where no hook tells. */

const bench = useOutboxBench()
let observing: Observing
const asked = new Set<string>()

const agent = async () => {
  const found = await bench.store.agents.get(AUTH)
  if (found === undefined) throw new Error('no agent')
  return found
}
const events = async (type: string) => (await bench.store.events.list({})).filter((event) => event.type === type && event.agentId === AUTH)
/** On record since a while ago. */
const recorded = (more: AgentPatch) => bench.family({ stateAt: Date.now() - 10_000, lastSeenAt: Date.now() - 10_000, ...more })

beforeEach(() => {
  const { store, publisher, outbox, clock, sight } = bench
  const panes = { find: async () => bench.terminals.multiplexer.list().then(([pane]) => pane), close: async () => {} }
  const settings = { agentCli: async () => bench.cli } as unknown as Parameters<typeof createObserving>[0]['settings']
  const states = createStates({ store, publisher, outbox, clock })
  observing = createObserving({ store, settings, clock, log: silentLog(), sight, states, panes, isAsked: (id) => asked.has(id) })
})
afterEach(() => {
  observing.stop()
  asked.clear()
})

describe('looking at a program', () => {
  it('finds one idle whose turn was broken off without a hook, says by what, and tells its parent once', async () => {
    await recorded({ state: 'running' })
    await observing.look(await agent())
    expect((await agent()).state).toBe('running')
    await waitFor('the second look', async () => (await agent()).state === 'idle')
    expect(await agent()).toMatchObject({ stateSource: 'session', stateReason: null })
    expect(await events('agent.idle')).toHaveLength(1)
  })

  it('lets what waits be typed when it finds the program idle', async () => {
    await recorded({ state: 'running' })
    await bench.outbox.start()
    await bench.say('one')
    await waitFor('it is submitted', () => bench.terminals.submitted.some(({ paneId }) => paneId === paneOf(AUTH)))
    expect(await agent()).toMatchObject({ state: 'idle', stateSource: 'session' })
  })

  it('believes a hook that comes between two looks', async () => {
    await recorded({ state: 'running' })
    await observing.look(await agent())
    bench.program.script.observe = () => 'running'
    await bench.store.agents.update(AUTH, { lastSeenAt: Date.now() })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await agent()).state).toBe('running')
  })

  it('tells the human of a dialog once, however often it is seen', async () => {
    bench.program.script.observe = () => 'waiting'
    await recorded({ state: 'running' })
    for (let look = 0; look < 3; look++) await observing.look(await agent())
    await waitFor('the state', async () => (await agent()).state === 'waiting')
    for (let look = 0; look < 3; look++) await observing.look(await agent())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await events('agent.waiting')).toHaveLength(1)
    expect((await bench.deliveries('human')).map(({ kind }) => kind)).toEqual(['agent.waiting'])
  })

  it('leaves an agent alone that waits in a call of its own', async () => {
    bench.program.script.observe = () => 'running'
    await recorded({ state: 'waiting', stateReason: 'question q-01020304', stateSource: 'tool' })
    for (let look = 0; look < 2; look++) {
      await observing.look(await agent())
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect((await agent()).state).toBe('waiting')
  })

  it('leaves one waiting whose permission question lies with the human, though its program looks busy with the hook', async () => {
    bench.program.script.observe = () => 'running'
    asked.add(AUTH)
    await recorded({ state: 'waiting', stateReason: 'permission to use Bash', stateSource: 'hook' })
    for (let look = 0; look < 2; look++) {
      await observing.look(await agent())
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect((await agent()).state).toBe('waiting')
  })

  it('shows as unknown what was idle and can’t be seen any more', async () => {
    bench.program.script.observe = () => 'unknown'
    await recorded({ state: 'idle' })
    await observing.look(await agent())
    await waitFor('the state', async () => (await agent()).state === 'unknown')
    expect((await agent()).stateSource).toBe('session')
  })
})
