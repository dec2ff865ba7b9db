import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import type { AgentCli } from '../../../src/adapters/agent-cli/agent-cli.ts'
import type { AgentPatch } from '../../../src/domain/records.ts'
import { createObserving, type Observing } from '../../../src/core/agents/observing.ts'
import { createStates } from '../../../src/core/agents/states.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { AUTH, paneOf, ROOT, useOutboxBench } from '../../helpers/outbox-bench.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { configuredOf, settingsOf } from '../../helpers/settings.ts'

/** Reads of a program that correct what is on record of it, where no hook reports. */

const bench = useOutboxBench()
let observing: Observing
const asked = new Set<string>()

const agent = async () => {
  const found = await bench.store.agents.get(AUTH)
  if (found === undefined) throw new Error('no agent')
  return found
}
const events = async (type: string) =>
  (await bench.store.events.list({})).filter(
    (event) => event.type === type && event.agentId === AUTH,
  )
/** On record since a while ago. */
const recorded = (more: AgentPatch) =>
  bench.family({ stateAt: Date.now() - 10_000, lastSeenAt: Date.now() - 10_000, ...more })

const configured = () => configuredOf(undefined, () => bench.cli as AgentCli)

beforeEach(() => {
  const { store, publisher, outbox, clock, probe } = bench
  const panes = {
    find: async () => bench.terminals.multiplexer.list().then(([pane]) => pane),
    close: async () => {},
    closeAll: async () => {},
  }
  const settings = settingsOf(undefined, () => bench.cli as AgentCli)
  const states = createStates({ store, publisher, outbox, clock })
  observing = createObserving({
    store,
    settings,
    clock,
    log: silentLog(),
    probe,
    states,
    panes,
    isAsked: (id) => asked.has(id),
  })
})
afterEach(() => {
  observing.stop()
  asked.clear()
})

describe('looking at a program', () => {
  it('finds one idle whose turn was broken off without a hook, says by what, and notifies its parent once', async () => {
    await recorded({ state: 'running' })
    await observing.look(await agent(), configured())
    // By that look alone: the second may have come already.
    const { state } = await agent()
    if (bench.program.looks.observe === 1) expect(state).toBe('running')
    await waitFor('the second look', async () => (await agent()).state === 'idle')
    expect(bench.program.looks.observe).toBeGreaterThan(1)
    expect(await agent()).toMatchObject({ stateSource: 'session', stateReason: null })
    expect(await events('agent.idle')).toHaveLength(1)
  })

  it('lets what waits be typed when it finds the program idle', async () => {
    await recorded({ state: 'running' })
    await bench.outbox.start()
    await bench.say('one')
    await waitFor('it is submitted', () =>
      bench.terminals.submitted.some(({ paneId }) => paneId === paneOf(AUTH)),
    )
    expect(await agent()).toMatchObject({ state: 'idle', stateSource: 'session' })
  })

  it('believes a hook that comes between two looks', async () => {
    await recorded({ state: 'running' })
    await observing.look(await agent(), configured())
    bench.program.script.observe = () => 'running'
    await bench.store.agents.update(AUTH, { lastSeenAt: Date.now() })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await agent()).state).toBe('running')
  })

  it('notifies the human of a dialog once, however often it is seen', async () => {
    bench.program.script.observe = () => 'waiting'
    await recorded({ state: 'running' })
    for (let look = 0; look < 3; look++) await observing.look(await agent(), configured())
    await waitFor('the state', async () => (await agent()).state === 'waiting')
    for (let look = 0; look < 3; look++) await observing.look(await agent(), configured())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await events('agent.waiting')).toHaveLength(1)
    expect((await bench.deliveries('human')).map(({ kind }) => kind)).toEqual(['agent.waiting'])
  })

  it('notifies parent and human, with its last lines, where something else stands in the place of its prompt; not of a moment', async () => {
    bench.program.script.inputLine = () => 'unknown'
    bench.terminals.multiplexer.capture = async () =>
      'It rests.\n╭────────╮\n│ Go on? │\n╰────────╯'
    await recorded({ state: 'idle' })
    await observing.look(await agent(), configured())
    bench.program.script.inputLine = () => 'empty'
    await observing.look(await agent(), configured())
    bench.program.script.inputLine = () => 'unknown'
    await observing.look(await agent(), configured())
    expect(await agent()).toMatchObject({ state: 'idle' })
    await waitFor('the state', async () => (await agent()).state === 'waiting')
    expect(await agent()).toMatchObject({
      stateSource: 'screen',
      stateReason: 'its terminal shows: It rests. · Go on?',
    })
    for (const to of ['human', ROOT] as const) {
      expect((await bench.deliveries(to)).map(({ kind, text }) => [kind, text])).toEqual([
        ['agent.waiting', expect.stringMatching(/It rests\.\n.*Go on\?\n/)],
      ])
    }
    // It goes by itself, and its parent knows that it rests.
    bench.program.script.inputLine = () => 'empty'
    await observing.look(await agent(), configured())
    await waitFor('it to be back', async () => (await agent()).state === 'idle')
    expect(await events('agent.idle')).toEqual([])
  })

  it('reports the same of a turn that ended in it, and that the turn ended', async () => {
    bench.program.script.inputLine = () => 'unknown'
    await recorded({ state: 'running' })
    await observing.look(await agent(), configured())
    await waitFor('the state', async () => (await agent()).state === 'waiting')
    expect((await agent()).stateReason).toContain('in its turn its terminal shows')
    bench.program.script.inputLine = () => 'empty'
    await observing.look(await agent(), configured())
    await waitFor('it to be back', async () => (await agent()).state === 'idle')
    expect(await events('agent.idle')).toHaveLength(1)
  })

  it('does not call for a person who is there', async () => {
    bench.program.script.inputLine = () => 'unknown'
    await recorded({ state: 'idle' })
    bench.terminals.panes.set(paneOf(AUTH), { agentId: AUTH, humanActiveAt: Date.now() })
    let reported = 0
    bench.probe.onSeen(() => reported++)
    const look = async () =>
      bench.probe.observe(
        await agent(),
        bench.cli,
        await bench.terminals.multiplexer.inspect(paneOf(AUTH)),
      )
    expect(await look()).toMatchObject({ state: 'waiting', tentative: true })
    expect(reported).toBe(0)
    bench.terminals.panes.set(paneOf(AUTH), { agentId: AUTH, humanActiveAt: Date.now() - 120_000 })
    await look()
    expect(reported).toBe(1)
  })

  it('reports a program that can’t be read, and gave no sign of what was typed; what waits behind is typed when it does', async () => {
    bench.cli = {
      acks: true,
      reportsState: true,
      inert: (text: string) => text,
      enterDelay: 5,
      pasteLimit: null,
      channel: null,
    } as AgentCli
    const submitted = () =>
      bench.terminals.submitted
        .filter(({ paneId }) => paneId === paneOf(AUTH))
        .map(({ text }) => text)
    await recorded({ state: 'idle' })
    await bench.outbox.start()
    await bench.say('one')
    await waitFor('the state', async () => (await agent()).state === 'waiting')
    expect((await agent()).stateReason).toContain('some output')
    await bench.say('two')
    await bench.outbox.stop()
    // The next daemon knows of it too.
    bench.outbox = bench.newOutbox()
    await bench.outbox.start()
    const [first] = await bench.deliveries()
    await bench.setState(AUTH, { state: 'running', stateReason: null, lastSeenAt: Date.now() })
    await bench.outbox.promptArrived(AUTH, [String(first?.id)])
    expect(submitted()).toEqual([expect.stringContaining('one')])
    await bench.setState(AUTH, { state: 'idle', lastSeenAt: Date.now() })
    await waitFor('the second', () => submitted().length === 2)
    expect(submitted()[1]).toContain('two')
    expect((await bench.deliveries('human')).map(({ kind }) => kind)).toEqual(['agent.waiting'])
  })

  it('leaves an agent alone that waits in a call of its own', async () => {
    bench.program.script.observe = () => 'running'
    await recorded({ state: 'waiting', stateReason: 'question q-01020304', stateSource: 'tool' })
    for (let look = 0; look < 2; look++) {
      await observing.look(await agent(), configured())
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect((await agent()).state).toBe('waiting')
  })

  it('leaves one waiting whose permission question lies with the human, though its program looks busy with the hook', async () => {
    bench.program.script.observe = () => 'running'
    asked.add(AUTH)
    await recorded({ state: 'waiting', stateReason: 'permission to use Bash', stateSource: 'hook' })
    for (let look = 0; look < 2; look++) {
      await observing.look(await agent(), configured())
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect((await agent()).state).toBe('waiting')
  })

  it('shows as unknown what was idle and can’t be seen any more', async () => {
    bench.program.script.observe = () => 'unknown'
    await recorded({ state: 'idle' })
    await observing.look(await agent(), configured())
    await waitFor('the state', async () => (await agent()).state === 'unknown')
    expect((await agent()).stateSource).toBe('session')
  })
})
