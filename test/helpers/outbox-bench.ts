import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import type {
  AgentCli,
  InputLine,
  LiveAgent,
  Observation,
} from '../../src/adapters/agent-cli/agent-cli.ts'
import type { ChannelResult } from '../../src/adapters/terminals/headless.ts'
import type { Multiplexer, Pane, TypeResult } from '../../src/adapters/terminals/holder.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { Agent, AgentPatch, Delivery, DeliveryStatus } from '../../src/domain/records.ts'
import { configSchema, type Config } from '../../src/config/schema.ts'
import { createLiveAgentOf } from '../../src/core/agents/live-agent.ts'
import { newAgentDefaults } from '../../src/core/spawn/new-agent.ts'
import { createAgentProbe, type AgentProbe } from '../../src/core/agents/agent-probe.ts'
import { createOutbox, type Outbox } from '../../src/delivery/outbox.ts'
import { createPublisher, type PublisherWithDeliveries } from '../../src/delivery/publisher.ts'
import { createRenderer } from '../../src/delivery/render/render.ts'
import {
  asBranchName,
  asPaneId,
  newDeliveryId,
  type AgentId,
  type PaneId,
  type Recipient,
} from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { settingsOf } from './settings.ts'

const templates = fileURLToPath(new URL('../../templates', import.meta.url))

/**
 * The machine’s edge: terminals that remember what is typed and do as they are asked. Everything
 * else in these tests is real.
 */
export function scriptedTerminals() {
  const box = new Map<PaneId, string>()
  const panes = new Map<PaneId, Partial<Pane>>()
  const typed: { paneId: PaneId; text: string; at: number }[] = []
  const submitted: { paneId: PaneId; text: string }[] = []
  const script = {
    paste: (_: PaneId): TypeResult | Promise<TypeResult> => ({ kind: 'typed' }),
    enter: (_: PaneId): TypeResult | 'ignored' => ({ kind: 'typed' }),
  }
  const inspect = (paneId: PaneId): Pane | undefined => {
    const pane = panes.get(paneId)
    return (
      pane && {
        paneId,
        agentId: null,
        pid: 1,
        name: 'x',
        title: null,
        dead: false,
        exitCode: null,
        exitSignal: null,
        inMode: false,
        foreground: true,
        humanActiveAt: null,
        pasted: undefined,
        entered: undefined,
        ...pane,
      }
    )
  }
  const multiplexer: Multiplexer = {
    name: 'headless',
    start: async () => {},
    open: () => Promise.reject(new Error('not in this test')),
    list: async () => [...panes.keys()].map((id) => inspect(id) as Pane),
    inspect: async (paneId) => inspect(paneId),
    paste: async (paneId, text) => {
      const result = await script.paste(paneId)
      if (result.kind !== 'typed') return result
      typed.push({ paneId, text, at: Date.now() })
      box.set(paneId, (box.get(paneId) ?? '') + text)
      return result
    },
    pressEnter: async (paneId) => {
      const result = script.enter(paneId)
      if (result === 'ignored') return { kind: 'typed' }
      if (result.kind !== 'typed') return result
      submitted.push({ paneId, text: box.get(paneId) ?? '' })
      box.delete(paneId)
      return result
    },
    pressEscape: async () => ({ kind: 'typed' }),
    capture: async (paneId) => `some output\n> ${box.get(paneId) ?? ''}`,
    captureStyled: async (paneId) => `some output\n> ${box.get(paneId) ?? ''}`,
    rename: async () => {},
    close: async () => {},
    closeAll: async () => {},
    endLeftBehind: async () => {},
    onDeath: () => () => {},
    attachCommand: () => undefined,
    view: () => Promise.reject(new Error('not in this test')),
    shutdown: async () => {},
    dispose: async () => {},
  }
  return { multiplexer, panes, box, typed, submitted, script }
}

/**
 * An agent’s program as its adapter sees it: a conversation that remembers what it took, and
 * whatever else a test scripts. It takes what is submitted in its terminal (`take`), what its
 * channel accepts, and what hooks were answered.
 */
export function scriptedProgram() {
  const conversation: string[] = []
  const script = {
    observe: (): Observation['state'] => 'idle',
    inputLine: (): InputLine => 'empty',
    /** Null: the conversation can’t be read. */
    readable: true,
    send: (text: string): ChannelResult | Promise<ChannelResult> => {
      conversation.push(text)
      return { kind: 'accepted' }
    },
  }
  const looks = { observe: 0, mentions: 0 }
  const cli = {
    acks: true,
    reportsState: true,
    inert: (text: string) => text,
    enterDelay: 5,
    pasteLimit: null,
    channel: null,
    observe: async (): Promise<Observation> => {
      looks.observe++
      return { state: script.observe(), reason: null, source: 'session' }
    },
    inputLine: () => script.inputLine(),
    mentions: async (_: LiveAgent, words: readonly string[]) => {
      looks.mentions++
      return script.readable
        ? new Set(words.filter((word) => conversation.some((text) => text.includes(word))))
        : null
    },
  } as unknown as AgentCli
  return {
    cli,
    conversation,
    script,
    looks,
    channel: (midTurn: boolean): AgentCli['channel'] => ({
      midTurn,
      send: async (_, text) => script.send(text),
    }),
  }
}

export const agentNumber = (number: number): AgentId =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as AgentId
export const ROOT = agentNumber(1)
export const AUTH = agentNumber(2)
export const paneOf = (agent: AgentId): PaneId => asPaneId(`%${agent.slice(-1)}`)

/** Outbox, store and publisher as they are, for the agents `main` and, below it, `auth`. */
export interface OutboxBench {
  store: Store
  publisher: PublisherWithDeliveries
  outbox: Outbox
  probe: AgentProbe
  terminals: ReturnType<typeof scriptedTerminals>
  program: ReturnType<typeof scriptedProgram>
  cli: AgentCli
  config: Config
  /** Milliseconds that the clock is ahead. */
  shift: number
  clock(): number
  newOutbox(): Outbox
  family(more?: AgentPatch): Promise<void>
  setState(agent: AgentId, patch: AgentPatch): Promise<void>
  say(message: string, to?: AgentId): Promise<void>
  deliveries(recipient?: Recipient, states?: readonly DeliveryStatus[]): Promise<Delivery[]>
  eventTypes(): Promise<string[]>
}

export function useOutboxBench(): OutboxBench {
  let folder: string
  const bench = { shift: 0, clock: () => Date.now() + bench.shift } as OutboxBench

  bench.newOutbox = () =>
    createOutbox({
      store: bench.store,
      publisher: bench.publisher,
      multiplexer: bench.terminals.multiplexer,
      probe: bench.probe,
      settings: settingsOf(
        () => bench.config,
        () => bench.cli as AgentCli,
      ),
      clock: bench.clock,
      log: silentLog(),
    })

  beforeEach(async () => {
    bench.shift = 0
    folder = await mkdtemp(join(tmpdir(), 'exomonad-outbox-'))
    bench.store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
    const renderer = createRenderer({
      shippedFolder: templates,
      overrideFolder: () => Promise.resolve(null),
      log: silentLog(),
    })
    bench.publisher = createPublisher({
      store: bench.store,
      renderer,
      clock: bench.clock,
      log: silentLog(),
      newDeliveryId,
    })
    bench.terminals = scriptedTerminals()
    bench.program = scriptedProgram()
    bench.cli = bench.program.cli
    const liveAgentOf = createLiveAgentOf({
      files: { folder: () => '/nowhere', readChannel: async () => null },
    })
    bench.probe = createAgentProbe({
      liveAgentOf,
      multiplexer: bench.terminals.multiplexer,
      clock: bench.clock,
      log: silentLog(),
    })
    bench.config = configSchema.parse({
      attention: { batch_within: 0 },
      delivery: { ack_timeout: 0.3, retry_initial: 0.02, retry_max: 0.1, human_idle: 0.2 },
    })
    bench.outbox = bench.newOutbox()
  })
  afterEach(async () => {
    await bench.outbox.stop()
    await bench.store.close()
    await rm(folder, { recursive: true })
  })

  const addAgent = async (
    id: AgentId,
    name: string,
    parentId: AgentId | null,
    more: AgentPatch = {},
  ): Promise<void> => {
    bench.terminals.panes.set(paneOf(id), { agentId: id })
    const agent: Agent = {
      ...newAgentDefaults(0),
      ...{
        id,
        name,
        kind: parentId === null ? 'root' : 'worker',
        runtime: 'pane',
        role: 'dev',
        agentCli: 'x',
        parentId,
        depth: 0,
      },
      ...{
        branch: asBranchName(name),
        baseBranch: null,
        forkPoint: null,
        worktree: '/w',
        ownsWorktree: true,
        adopted: false,
        task: '',
      },
      ...{
        paneId: paneOf(id),
        pid: 1,
        state: 'idle',
        stateSource: 'hook',
        stateAt: 0,
        tokenHash: id,
      },
      ...more,
    }
    await bench.store.agents.insert(agent)
  }
  bench.family = async (more = {}) => {
    await addAgent(ROOT, 'main', null)
    await addAgent(AUTH, 'auth', ROOT, more)
  }
  bench.setState = async (agentId, patch) => {
    await bench.store.agents.update(agentId, { stateAt: bench.clock(), ...patch })
    const payload = { from: 'x', to: String(patch.state), source: 'hook', reason: null }
    await bench.publisher.publish({ type: 'agent.state', agentId, actor: 'daemon', payload })
  }
  bench.say = async (message, to = AUTH) => {
    await bench.publisher.publish({
      type: 'message',
      agentId: to,
      actor: 'human',
      payload: { message },
    })
  }
  bench.deliveries = (recipient = AUTH, states) =>
    bench.store.outbox.list({ recipient, ...(states ? { states } : {}) })
  bench.eventTypes = async () => (await bench.store.events.list({})).map(({ type }) => type)
  return bench
}
