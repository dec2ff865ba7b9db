import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentCli } from '../../../src/adapters/agent-cli/agent-cli.ts'
import type { Pane } from '../../../src/adapters/terminals/holder.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { AgentPatch, Delivery, DeliveryStatus } from '../../../src/domain/records.ts'
import { configSchema, type Config } from '../../../src/config/schema.ts'
import { createLiveAgentOf } from '../../../src/core/agents/live-agent.ts'
import { createAgentProbe, type AgentProbe } from '../../../src/core/agents/agent-probe.ts'
import type { OutboxCli } from '../../../src/delivery/outbox-typing.ts'
import { createOutbox, type Outbox } from '../../../src/delivery/outbox.ts'
import { createPublisher, type PublisherWithDeliveries } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import {
  asBranchName,
  asPaneId,
  newDeliveryId,
  type AgentId,
  type DeliveryId,
  type PaneId,
  type Recipient,
} from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { verifies } from '../../requirements.ts'
import { scriptedTerminals } from '../../helpers/outbox-bench.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { settingsOf } from '../../helpers/settings.ts'

const templates = fileURLToPath(new URL('../../../templates', import.meta.url))

describe('outbox', () => {
  let folder: string
  let store: Store
  let publisher: PublisherWithDeliveries
  let outbox: Outbox
  let terminals: ReturnType<typeof scriptedTerminals>
  let config: Config
  let cli: OutboxCli
  let probe: AgentProbe
  /** Called in the middle of a look: the agent’s record was read, and nothing decided yet. */
  let whileLooking: () => Promise<void>
  /** Time runs as always; a test may push it on. */
  let shift: number
  const clock = (): number => Date.now() + shift

  /** What is unconfirmed for longer than a busy machine stands still is given up. Seconds. */
  const configIn = (ackTimeout: number): Config =>
    configSchema.parse({
      delivery: { ack_timeout: ackTimeout, retry_initial: 0.02, retry_max: 0.1, human_idle: 0.2 },
    })
  /** For those that are about what is given up. */
  const confirmsSoon = (): void => void (config = configIn(0.3))

  const settings = settingsOf(
    () => config,
    () => cli as AgentCli,
  )
  const newOutbox = (): Outbox =>
    createOutbox({
      store,
      publisher,
      multiplexer: terminals.multiplexer,
      probe,
      settings: {
        ...settings,
        snapshot: async () => {
          await whileLooking()
          return settings.snapshot()
        },
      },
      clock,
      log: silentLog(),
    })

  beforeEach(async () => {
    shift = 0
    whileLooking = () => Promise.resolve()
    folder = await mkdtemp(join(tmpdir(), 'exomonad-outbox-'))
    store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
    const renderer = createRenderer({
      shippedFolder: templates,
      overrideFolder: () => Promise.resolve(null),
      log: silentLog(),
    })
    publisher = createPublisher({ store, renderer, clock, log: silentLog(), newDeliveryId })
    terminals = scriptedTerminals()
    const liveAgentOf = createLiveAgentOf({
      files: { folder: () => '/nowhere', readChannel: async () => null },
    })
    probe = createAgentProbe({
      liveAgentOf,
      multiplexer: terminals.multiplexer,
      clock,
      log: silentLog(),
    })
    config = configIn(30)
    cli = {
      acks: true,
      reportsState: true,
      inert: (text) => text,
      enterDelay: 5,
      pasteLimit: null,
      channel: null,
    }
    outbox = newOutbox()
  })
  afterEach(async () => {
    await outbox.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })

  const id = (name: string): AgentId =>
    `00000000-0000-7000-8000-${name.padStart(12, '0')}` as AgentId
  const ROOT = id('1')
  const AUTH = id('2')
  const pane = (of: AgentId): PaneId => asPaneId(`%${of.slice(-1)}`)

  const addAgent = async (
    agentId: AgentId,
    name: string,
    parentId: AgentId | null,
    more: AgentPatch = {},
  ): Promise<void> => {
    terminals.panes.set(more.paneId ?? pane(agentId), { agentId })
    const agent = makeAgent({
      ...{
        id: agentId,
        name,
        kind: parentId === null ? 'root' : 'worker',
        parentId,
        depth: 0,
        branch: asBranchName(name),
        baseBranch: null,
        worktree: '/w',
      },
      ...{ paneId: pane(agentId), pid: 1, state: 'idle', stateSource: 'hook', tokenHash: agentId },
      ...more,
    })
    await store.agents.insert(agent)
  }
  const family = async (more: AgentPatch = {}): Promise<void> => {
    await addAgent(ROOT, 'main', null)
    await addAgent(AUTH, 'auth', ROOT, more)
  }
  const setState = async (agentId: AgentId, patch: AgentPatch): Promise<void> => {
    await store.agents.update(agentId, { stateAt: clock(), ...patch })
    await publisher.publish({
      type: 'agent.state',
      agentId,
      actor: 'daemon',
      payload: { from: 'x', to: String(patch.state), source: 'hook', reason: null },
    })
  }
  const say = async (message: string, to = AUTH): Promise<void> => {
    await publisher.publish({ type: 'message', agentId: to, actor: 'human', payload: { message } })
  }
  const deliveries = (
    recipient: Recipient = AUTH,
    states?: readonly DeliveryStatus[],
  ): Promise<Delivery[]> => store.outbox.list({ recipient, ...(states ? { states } : {}) })
  const eventTypes = async (): Promise<string[]> =>
    (await store.events.list({})).map(({ type }) => type)
  const until = (what: string, test: () => boolean | Promise<boolean>): Promise<unknown> =>
    waitFor(what, test)
  /** The same while time passes faster than it does. */
  const inTime = (what: string, test: () => boolean | Promise<boolean>): Promise<unknown> =>
    until(what, () => {
      shift += 2_000
      outbox.wake(AUTH)
      return test()
    })

  it(
    verifies(
      'R004-18',
      'types what is published into the pane of an idle agent, once, and notes each step',
    ),
    async () => {
      await family()
      await outbox.start()
      await say('look at the parser')
      await until('it is submitted', () => terminals.submitted.length === 1)
      const [delivery] = await deliveries()
      expect(terminals.submitted[0]).toEqual({
        paneId: pane(AUTH),
        text: `[MESSAGE] from the human: look at the parser\n[${delivery?.id}]`,
      })
      await until('it is noted', async () => (await eventTypes()).includes('delivery.sent'))
      expect(await outbox.ack(AUTH, [String(delivery?.id)])).toEqual([delivery?.id])
      expect((await deliveries())[0]).toMatchObject({ state: 'acked', lane: 'pane', attempts: 1 })
      expect((await eventTypes()).filter((type) => type.startsWith('delivery.'))).toEqual([
        'delivery.sent',
        'delivery.acked',
      ])
      expect(terminals.typed).toHaveLength(1)
    },
  )

  it('waits for the end of the turn, and merges all that came meanwhile into one message', async () => {
    await family({ state: 'running' })
    await outbox.start()
    for (const word of ['one', 'two', 'three']) await say(word)
    await outbox.settled()
    expect(terminals.typed).toEqual([])
    await setState(AUTH, { state: 'idle' })
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(terminals.submitted[0]?.text.replace(/\[m-.*\]$/, '').trim()).toBe(
      '[MESSAGE] from the human: one\n\n[MESSAGE] from the human: two\n\n[MESSAGE] from the human: three',
    )
    expect(new Set((await deliveries()).map(({ batch }) => batch)).size).toBe(1)
  })

  it('notices a turn that ends while it looks at the agent as it was before', async () => {
    config = configSchema.parse({ delivery: { retry_max: 3600 } })
    await family({ state: 'running' })
    await outbox.start()
    await outbox.settled()
    whileLooking = async () => {
      whileLooking = () => Promise.resolve()
      await setState(AUTH, { state: 'idle' })
      outbox.wake(AUTH)
    }
    await say('one')
    await until('it is submitted', () => terminals.submitted.length === 1)
  })

  it('does not type a second message before the first is confirmed and the turn it began is over', async () => {
    config = configSchema.parse({ delivery: { ack_timeout: 30 } })
    await family()
    await outbox.start()
    await say('first')
    await until('it is submitted', () => terminals.submitted.length === 1)
    await say('second')
    await outbox.ack(AUTH, [String((await deliveries())[0]?.id)])
    await outbox.settled()
    // Confirmed, but its state still is what it was before: the turn is about to begin.
    expect(terminals.typed).toHaveLength(1)
    await setState(AUTH, { state: 'running' })
    await setState(AUTH, { state: 'idle' })
    await until('the second is submitted', () => terminals.submitted.length === 2)
  })

  it('types to a program that reports no state at any time, and lets it be where it cannot confirm', async () => {
    cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
    await family({ state: 'running' })
    await outbox.start()
    await say('one')
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(terminals.submitted[0]?.text).toBe('[MESSAGE] from the human: one')
    await say('two')
    await until('the second too', () => terminals.submitted.length === 2)
    shift += 60_000
    outbox.wake()
    await outbox.settled()
    expect((await deliveries()).map(({ state }) => state)).toEqual(['sent', 'sent'])
    expect((await deliveries()).every(({ handedAt }) => handedAt !== null)).toBe(true)
  })

  it.each<[string, AgentPatch, boolean]>([
    ['a permission dialog is open', { state: 'waiting', stateReason: 'permission: run rm' }, false],
    ['it is being started', { state: 'spawning' }, false],
    [
      'it waits for an answer, in a call',
      { state: 'waiting', stateReason: 'question q-01020304' },
      true,
    ],
  ])('without reported states, when %s', async (_, patch, types) => {
    cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
    await family(patch)
    await outbox.start()
    await say('one')
    if (types) await until('it is submitted', () => terminals.submitted.length === 1)
    await outbox.settled()
    expect(terminals.typed).toHaveLength(types ? 1 : 0)
  })

  it.each<[string, Partial<Pane>]>([
    ['copy mode', { inMode: true }],
    ['another program in front', { foreground: false }],
    ['a dead pane', { dead: true }],
    [
      'a pane that another agent has by now',
      { agentId: '00000000-0000-7000-8000-000000000009' as AgentId },
    ],
  ])('types nothing into %s, and the message when it is over', async (_, state) => {
    await family()
    terminals.panes.set(pane(AUTH), { agentId: AUTH, ...state })
    await outbox.start()
    await say('one')
    await outbox.settled()
    expect(terminals.typed).toEqual([])
    expect((await deliveries())[0]).toMatchObject({ state: 'queued', attempts: 0 })
    terminals.panes.set(pane(AUTH), { agentId: AUTH })
    await until('it is submitted without anybody calling', () => terminals.submitted.length === 1)
  })

  it('lets a person finish typing', async () => {
    await family()
    const active = clock()
    terminals.panes.set(pane(AUTH), { agentId: AUTH, humanActiveAt: active })
    await outbox.start()
    await say('one')
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(terminals.typed[0]?.at).toBeGreaterThanOrEqual(active + 200)
  })

  it('tries again where the terminal was busy, without counting it as sent', async () => {
    await family()
    let tries = 0
    terminals.script.paste = () =>
      ++tries < 3 ? { kind: 'busy', reason: 'copy mode' } : { kind: 'typed' }
    await outbox.start()
    await say('one')
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect((await deliveries())[0]).toMatchObject({ state: 'sent', attempts: 3 })
    expect(terminals.typed).toHaveLength(1)
  })

  it('holds Enter back while a dialog is open, and never pastes again', async () => {
    config = configSchema.parse({ delivery: { ack_timeout: 30 } })
    cli = { ...cli, enterDelay: 50 }
    await family()
    terminals.script.paste = async () => {
      await store.agents.update(AUTH, { state: 'waiting', stateReason: 'permission' })
      return { kind: 'typed' }
    }
    await outbox.start()
    await say('one')
    await until('it is pasted', () => terminals.typed.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(terminals.submitted).toEqual([])
    await setState(AUTH, { state: 'idle' })
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(terminals.typed).toHaveLength(1)
  })

  it('presses Enter once more for a message that still stands there, and then says that it doesn’t know', async () => {
    confirmsSoon()
    await family()
    let presses = 0
    terminals.script.enter = () => (presses++, 'ignored')
    await outbox.start()
    await say('one')
    await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
    expect(presses).toBe(2)
    expect(terminals.typed).toHaveLength(1)
    const [notice] = await deliveries('human')
    expect(notice).toMatchObject({ kind: 'delivery.undecided', state: 'queued' })
    expect(notice?.text).toContain('auth')
  })

  it('is delivered by that second Enter where the first was swallowed', async () => {
    await family()
    let presses = 0
    terminals.script.enter = () => (++presses === 1 ? 'ignored' : { kind: 'typed' })
    await outbox.start()
    await say('one')
    await until('the first', () => presses === 1)
    await inTime('it is submitted', () => terminals.submitted.length === 1)
    await outbox.ack(AUTH, [String((await deliveries())[0]?.id)])
    expect((await deliveries())[0]?.state).toBe('acked')
    expect(await deliveries('human')).toEqual([])
  })

  it('takes a late confirmation', async () => {
    confirmsSoon()
    await family()
    await outbox.start()
    await say('one')
    await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
    await outbox.ack(AUTH, [String((await deliveries())[0]?.id)])
    expect((await deliveries())[0]?.state).toBe('acked')
  })

  it('believes nobody who confirms another agent’s message', async () => {
    await family()
    await outbox.start()
    await say('one')
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(await outbox.ack(ROOT, [String((await deliveries())[0]?.id), 'm-000000000000'])).toEqual(
      [],
    )
    expect((await deliveries())[0]?.state).toBe('sent')
  })

  it('sends what waits for an agent that ended to its parent, marked, and says so', async () => {
    await family({ state: 'running' })
    await addAgent(id('3'), 'login', AUTH, { state: 'running' })
    await outbox.start()
    await say('too late', id('3'))
    await outbox.settled()
    await store.agents.update(AUTH, { state: 'killed' })
    await setState(id('3'), { state: 'failed' })
    await until('the root has it', () => terminals.submitted.length === 1)
    expect(terminals.submitted[0]?.paneId).toBe(pane(ROOT))
    expect(terminals.submitted[0]?.text).toContain(
      '[UNDELIVERED] meant for login, which has ended:\n[MESSAGE] from the human: too late',
    )
    expect(await eventTypes()).toContain('delivery.failed')
  })

  it('ends in the inbox where nobody is left, and never types to a person', async () => {
    await addAgent(ROOT, 'main', null, { state: 'running' })
    await outbox.start()
    await say('hello', ROOT)
    await outbox.settled()
    await setState(ROOT, {
      state: 'idle',
      stateReason: 'stopped',
      stateSource: 'process',
      paneId: null,
    })
    await until('the human has it', async () => (await deliveries('human')).length === 1)
    // What is for the root is theirs then: nothing went astray.
    expect((await deliveries('human'))[0]).toMatchObject({ state: 'queued', why: null })
    const failed = (await store.events.list({})).find(({ type }) => type === 'delivery.failed')
    expect(failed?.payload).toMatchObject({
      to: 'human',
      reason: 'main has no program now, so that it is the human’s',
    })
    expect(terminals.typed).toEqual([])
  })

  it('says of what was for another whom it was meant for, also where the root’s program is gone then', async () => {
    await addAgent(ROOT, 'main', null, { state: 'running' })
    await addAgent(AUTH, 'auth', ROOT, { state: 'running' })
    await outbox.start()
    await say('too late')
    await outbox.settled()
    await setState(AUTH, { state: 'killed' })
    await until('it waits for the root', async () => (await deliveries(ROOT)).length === 1)
    await setState(ROOT, {
      state: 'idle',
      stateReason: 'stopped',
      stateSource: 'process',
      paneId: null,
    })
    await until('the human has it', async () => (await deliveries('human')).length === 1)
    expect((await deliveries('human'))[0]?.why).toBe('meant for auth, which was killed')
  })

  it('keeps what waits for a root that was stopped on purpose', async () => {
    await addAgent(ROOT, 'main', null, { state: 'running' })
    await outbox.start()
    await say('hello', ROOT)
    await setState(ROOT, {
      state: 'idle',
      stateReason: 'stopped',
      stateSource: 'human',
      paneId: null,
    })
    await outbox.settled()
    expect(await deliveries('human')).toEqual([])
    await setState(ROOT, {
      state: 'idle',
      stateReason: null,
      stateSource: 'hook',
      paneId: pane(ROOT),
    })
    await until('it is submitted', () => terminals.submitted.length === 1)
  })

  it('keeps what a person says to a root after its program ended by itself', async () => {
    await addAgent(ROOT, 'main', null, { state: 'running' })
    await outbox.start()
    await say('before', ROOT)
    await outbox.settled()
    shift += 1000
    await setState(ROOT, {
      state: 'idle',
      stateReason: 'stopped',
      stateSource: 'process',
      stateAt: clock(),
      paneId: null,
    })
    await until('the human has it', async () => (await deliveries('human')).length === 1)
    shift += 1000
    await say('after', ROOT)
    await outbox.settled()
    expect(await deliveries('human')).toMatchObject([{ text: '[MESSAGE] from the human: before' }])
    await setState(ROOT, {
      state: 'idle',
      stateReason: null,
      stateSource: 'hook',
      paneId: pane(ROOT),
    })
    await until('it is submitted', () => terminals.submitted.length === 1)
    expect(terminals.submitted[0]?.text).toContain('[MESSAGE] from the human: after')
  })

  it('requeues what stood in the box of a program that died before Enter, for the next in line', async () => {
    await family()
    await store.agents.update(ROOT, { state: 'running' })
    terminals.script.paste = (paneId) => (
      terminals.panes.set(paneId, { agentId: AUTH, dead: true }),
      { kind: 'typed' }
    )
    await outbox.start()
    await say('one')
    await until(
      'it waits again',
      async () => (await deliveries())[0]?.why === 'its program ended before Enter',
    )
    await setState(AUTH, { state: 'failed' })
    await until('its parent has it', async () => (await deliveries(ROOT, ['queued'])).length === 1)
  })

  it('keeps each message below the limit, the rest for the next, and points to the whole of one that is too long', async () => {
    config = configSchema.parse({ delivery: { max_chars: 500 } })
    cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
    await family({ state: 'spawning' })
    await outbox.start()
    await say('x'.repeat(300))
    await say('y'.repeat(300))
    await say('z'.repeat(3000))
    await setState(AUTH, { state: 'running' })
    await until('all are submitted', () => terminals.submitted.length === 3)
    for (const { text } of terminals.submitted) expect(text.length).toBeLessThanOrEqual(520)
    expect(terminals.submitted[2]?.text).toMatch(
      /more characters; the whole: `exomonad events --json`, event \d+\]$/,
    )
  })

  it('leaves to a waiting call what that takes, and to the pane the rest: each goes one way', async () => {
    await family({ state: 'running' })
    await outbox.start()
    await say('for the call')
    await say('for the pane')
    const [first, second] = await deliveries()
    expect(
      (await outbox.settleByTool([first?.id as DeliveryId])).map(({ id: taken }) => taken),
    ).toEqual([first?.id])
    await setState(AUTH, { state: 'idle' })
    await until('the other is submitted', () => terminals.submitted.length === 1)
    expect(terminals.submitted[0]?.text).not.toContain('for the call')
    expect((await deliveries())[0]).toMatchObject({ state: 'acked', lane: 'tool' })
    expect(await outbox.settleByTool([second?.id as DeliveryId])).toEqual([])
  })

  it('hands what waits to a hook, to be confirmed like any other', async () => {
    await family({ state: 'running' })
    await outbox.start()
    await say('before you stop')
    const text = await outbox.takeForHook(AUTH)
    const [delivery] = await deliveries()
    expect(text).toBe(`[MESSAGE] from the human: before you stop\n[${delivery?.id}]`)
    expect(delivery).toMatchObject({ state: 'sent', lane: 'hook' })
    expect(await outbox.takeForHook(AUTH)).toBeNull()
    await outbox.ack(AUTH, [String(delivery?.id)])
    expect((await deliveries())[0]?.state).toBe('acked')
    expect(terminals.typed).toEqual([])
  })

  describe('after a crash', () => {
    /** As a daemon left it that was killed at that moment. */
    const claimed = async (handed: boolean): Promise<DeliveryId> => {
      const delivery = newDeliveryId()
      await store.outbox.enqueue({
        id: delivery,
        recipient: AUTH,
        eventSeq: null,
        kind: 'note',
        text: '[NOTE] x: y',
        createdAt: clock(),
      })
      await store.outbox.claim([delivery], 'pane', 'b-1', clock())
      if (handed) await store.outbox.handed([delivery], clock())
      return delivery
    }

    it('types what was queued', async () => {
      await family()
      await say('one')
      expect(terminals.typed).toEqual([])
      await outbox.start()
      await until('it is submitted', () => terminals.submitted.length === 1)
    })

    it.each([
      ['before it was noted', false],
      ['after it was noted', true],
    ])('waits for the confirmation of what was typed, cut off %s', async (_, handed) => {
      await family()
      const delivery = await claimed(handed)
      await outbox.start()
      await outbox.ack(AUTH, [delivery])
      await outbox.settled()
      shift += 60_000
      outbox.wake(AUTH)
      await outbox.settled()
      expect((await deliveries())[0]?.state).toBe('acked')
      expect(terminals.typed).toEqual([])
      expect(await deliveries('human')).toEqual([])
    })

    it('types what never reached its terminal', async () => {
      await family()
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted: ['the batch before'] })
      await outbox.start()
      await inTime('it is submitted', () => terminals.submitted.length === 1)
      expect(terminals.submitted[0]?.text).toContain('[NOTE] x: y')
      expect(await deliveries('human')).toEqual([])
    })

    it('does not type again what its terminal got, also where it does not show it any more', async () => {
      confirmsSoon()
      await family()
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted: ['b-1'] })
      await outbox.start()
      await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
      expect(terminals.typed).toEqual([])
    })

    it.each([
      ['that confirms', true],
      ['that confirms nothing', false],
    ])(
      'presses Enter for what its terminal got without Enter, of a program %s and shows nothing',
      async (_, acks) => {
        cli = { ...cli, acks, enterDelay: 0 }
        await family()
        const delivery = await claimed(false)
        terminals.panes.set(pane(AUTH), {
          agentId: AUTH,
          pasted: ['the batch before', 'b-1'],
          entered: ['the batch before'],
        })
        // What Enter was never pressed for opened no dialog: an agent that waits for a person would
        // never get it.
        const seen: string[] = []
        probe.onSeen((_agent, { state }) => void seen.push(state))
        await outbox.start()
        await inTime('it is submitted', () => terminals.submitted.length === 1)
        expect(seen).not.toContain('waiting')
        if (acks) await outbox.ack(AUTH, [delivery])
        await until('it is noted', async () => (await deliveries())[0]?.handedAt !== null)
        expect(terminals.typed).toEqual([])
        shift += 60_000
        outbox.wake(AUTH)
        await outbox.settled()
        expect(terminals.submitted).toHaveLength(1)
        expect(await deliveries('human')).toEqual([])
      },
    )

    it('types nothing newer before it knows what the last daemon left', async () => {
      await family()
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted: ['b-1'], entered: [] })
      const reading = Promise.withResolvers<void>()
      const { list } = store.outbox
      const slow = {
        ...store,
        outbox: {
          ...store.outbox,
          list: async (filter: Parameters<typeof list>[0]) =>
            filter.states?.[0] === 'sent' &&
            filter.recipient === undefined &&
            filter.batch === undefined
              ? reading.promise.then(() => list(filter))
              : list(filter),
        },
      }
      const whole = store
      store = slow
      outbox = newOutbox()
      store = whole
      const started = outbox.start()
      await publisher.publish({
        type: 'note',
        agentId: AUTH,
        actor: AUTH,
        payload: { name: 'x', message: 'newer' },
      })
      await publisher.publish({
        type: 'message',
        agentId: AUTH,
        actor: 'human',
        payload: { message: 'newer' },
      })
      outbox.wake(AUTH)
      await outbox.settled()
      expect(terminals.typed).toEqual([])
      reading.resolve()
      await started
      await until('the older is submitted', () => terminals.submitted.length > 0)
    })

    it.each([
      ['was pasted behind and not submitted', ['b-1', 'newer'], [], 1],
      ['was pasted behind and submitted', ['b-1', 'newer'], ['newer'], 0],
      [
        'were so many behind it that it may be forgotten',
        Array.from({ length: 20 }, (_, index) => `k-${index}`),
        [],
        0,
      ],
    ])('types nothing again where newer %s', async (_, pasted, entered, submitted) => {
      cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
      await family()
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted, entered })
      await outbox.start()
      await inTime('it is settled', async () => {
        const [first] = await deliveries()
        return first?.handedAt !== null || first.state === 'undecided'
      })
      expect(terminals.typed).toEqual([])
      expect(terminals.submitted).toHaveLength(submitted)
    })

    it('holds that Enter back until the program is idle', async () => {
      await family({ state: 'running' })
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted: ['b-1'], entered: [] })
      await outbox.start()
      shift += 60_000
      outbox.wake(AUTH)
      await outbox.settled()
      expect(terminals.submitted).toEqual([])
      await setState(AUTH, { state: 'idle' })
      shift += 60_000
      outbox.wake(AUTH)
      await until('it is submitted', () => terminals.submitted.length === 1)
      expect(terminals.typed).toEqual([])
    })

    it('takes what was submitted for handed over where the program confirms nothing', async () => {
      cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
      await family()
      await claimed(false)
      terminals.panes.set(pane(AUTH), { agentId: AUTH, pasted: ['b-1'], entered: ['b-1'] })
      await outbox.start()
      await inTime('it is noted', async () => (await deliveries())[0]?.handedAt !== null)
      expect(terminals.typed).toEqual([])
      expect(terminals.submitted).toEqual([])
      expect(await deliveries('human')).toEqual([])
    })

    it('notifies the human where none comes, and never types it again', async () => {
      confirmsSoon()
      await family()
      await claimed(false)
      await outbox.start()
      await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
      expect((await deliveries('human')).map(({ kind }) => kind)).toEqual(['delivery.undecided'])
      expect(terminals.typed).toEqual([])
      await outbox.stop()
      outbox = newOutbox()
      await outbox.start()
      await outbox.settled()
      expect(terminals.typed).toEqual([])
    })

    it('hands over again what a hook’s answer was to bring, where the hook is called again and nothing was confirmed', async () => {
      await family({ state: 'running' })
      await outbox.start()
      await say('before you stop')
      const text = await outbox.takeForHook(AUTH)
      await outbox.stop()
      // Killed before it answered; the program asks again.
      outbox = newOutbox()
      await outbox.start()
      expect(await outbox.takeForHook(AUTH)).toBe(text)
      expect(await outbox.takeForHook(AUTH)).toBeNull()
      await outbox.ack(AUTH, [String((await deliveries())[0]?.id)])
      expect((await deliveries()).map(({ state }) => state)).toEqual(['acked'])
    })

    it('hands nothing over again that was confirmed', async () => {
      await family({ state: 'running' })
      await outbox.start()
      await say('before you stop')
      await outbox.takeForHook(AUTH)
      await outbox.stop()
      outbox = newOutbox()
      await outbox.start()
      await outbox.ack(AUTH, [String((await deliveries())[0]?.id)])
      expect(await outbox.takeForHook(AUTH)).toBeNull()
    })

    it('presses Enter for what was pasted and still stands there', async () => {
      await family()
      const delivery = await claimed(false)
      terminals.box.set(
        pane(AUTH),
        `[NOTE] x: y\n[${delivery.slice(0, 7)}\n│ ${delivery.slice(7)}]`,
      )
      await outbox.start()
      await inTime('it is submitted', () => terminals.submitted.length === 1)
      await outbox.ack(AUTH, [delivery])
      expect((await deliveries())[0]).toMatchObject({ state: 'acked' })
      expect(terminals.typed).toEqual([])
    })

    it('says so where the program does not confirm and it was cut off', async () => {
      confirmsSoon()
      cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
      await family()
      await claimed(false)
      await outbox.start()
      await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
    })

    it('neither loses nor repeats anything, wherever the daemon is stopped', async () => {
      config = configSchema.parse({ delivery: { ack_timeout: 30 } })
      cli = { ...cli, acks: false, reportsState: false, enterDelay: 2 }
      await family()
      const said: string[] = []
      for (let round = 0; round < 15; round++) {
        outbox = newOutbox()
        await outbox.start()
        for (let n = 0; n < 4; n++) {
          said.push(`${round}-${n}`)
          await say(`word ${round}-${n}.`)
        }
        await new Promise((resolve) => setTimeout(resolve, round % 5))
        await outbox.stop()
      }
      outbox = newOutbox()
      await outbox.start()
      await until('nothing waits', async () => (await deliveries(AUTH, ['queued'])).length === 0)
      await outbox.settled()
      const all = terminals.submitted.map(({ text }) => text).join('\n')
      for (const word of said) expect(all.split(`word ${word}.`).length, word).toBe(2)
    })
  })

  it('takes the uncertain way where the terminal does not answer: not typed again, the human notified', async () => {
    confirmsSoon()
    await family()
    terminals.script.paste = () => Promise.reject(new Error('no answer within 5 s'))
    await outbox.start()
    await say('one')
    await until('it is undecided', async () => (await deliveries())[0]?.state === 'undecided')
    expect((await deliveries())[0]?.attempts).toBe(1)
  })

  it('brings a hundred agents their messages at once', async () => {
    cli = { ...cli, acks: false, reportsState: false, enterDelay: 0 }
    await addAgent(ROOT, 'main', null)
    const ids = Array.from({ length: 100 }, (_, index) => id(String(1000 + index)))
    for (const [index, agentId] of ids.entries()) {
      await addAgent(agentId, `w${index}`, ROOT, { paneId: asPaneId(`%${1000 + index}`) })
    }
    await outbox.start()
    await Promise.all(ids.map((agentId) => say('go', agentId)))
    await until('all are submitted', () => terminals.submitted.length === 100)
    expect(new Set(terminals.submitted.map(({ paneId }) => paneId)).size).toBe(100)
  })
})
