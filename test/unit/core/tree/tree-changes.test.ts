import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import type { StoreTransaction, StoreVerbs } from '../../../../src/adapters/store/store.ts'
import { watchStore, WRITING } from '../../../../src/adapters/store/watched.ts'
import { createView } from '../../../../src/core/agents/view.ts'
import type { ChangedNode, TreeNode } from '../../../../src/core/agents/tree-document.ts'
import { createOpenWaits } from '../../../../src/core/mail/open-waits.ts'
import {
  asBranchName,
  newAgentId,
  newDeliveryId,
  newQuestionId,
  type AgentId,
} from '../../../../src/domain/ids.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { settingsOf } from '../../../helpers/settings.ts'
import { pull } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

const CONFIG = (await settingsOf().snapshot()).config

async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'changes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const opened = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  onTestFinished(() => opened.close())
  const { store, touches } = watchStore(opened)
  const openWaits = createOpenWaits()
  let now = 1_000_000
  const daemon = () =>
    createView({
      ...{ store, touches, openWaits, git: undefined as never },
      forge: { kind: 'local', budget: () => null } as never,
      paths: { home: '/repository' } as never,
      clock: () => now,
      settings: settingsOf(() => CONFIG),
    })
  const root = makeAgent({ kind: 'root', name: 'main', branch: asBranchName('main'), depth: 0 })
  await store.agents.insert(root)
  return { store, openWaits, daemon, root, later: (by: number) => void (now += by), now: () => now }
}
type World = Awaited<ReturnType<typeof openWorld>>

/** What differs between two reads of the same at other times. */
const AGES = /_seconds$|^at$/
const ageless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (AGES.test(key) ? undefined : part)))

/** As a client would: it knows only what it was given. */
class Client {
  revision: string | undefined
  nodes = new Map<AgentId, ChangedNode>()
  rest: unknown
  async read(view: ReturnType<World['daemon']>) {
    const {
      revision,
      complete,
      nodes,
      removed,
      at: _at,
      ...rest
    } = await view.changes(this.revision)
    if (complete) this.nodes.clear()
    for (const node of nodes) this.nodes.set(node.id, node)
    for (const id of removed) this.nodes.delete(id)
    this.revision = revision
    this.rest = rest
    return { complete, nodes: nodes.length, removed: removed.length }
  }
  tree(): unknown {
    const build = ({ under: _under, order: _order, at: _at, ...node }: ChangedNode): TreeNode => ({
      ...node,
      matches: true,
      hidden: 0,
      children: [...this.nodes.values()]
        .filter(({ under }) => under === node.id)
        .toSorted((one, other) => one.order - other.order)
        .map(build),
    })
    const root = [...this.nodes.values()].find(({ kind }) => kind === 'root')
    return ageless({ ...(this.rest as object), root: root === undefined ? null : build(root) })
  }
}

type Step = { do: string; pick: number; to: number; within: boolean; reads: boolean }
const STATES = ['running', 'idle', 'waiting', 'failed', 'killed', 'completed'] as const
const KINDS = ['worker', 'subtree', 'fork', 'process', 'spawn'] as const

/** Every way in which something that the tree shows is written. */
const STEPS: Record<
  string,
  (world: World, tx: StoreVerbs, one: Agent, to: number) => Promise<unknown>
> = {
  spawn: async ({ now }, tx, one, to) => {
    const name = `w${to % 7}`
    await tx.agents.insert(
      makeAgent({
        ...{ name, parentId: one.id, kind: KINDS[to % KINDS.length] ?? 'worker' },
        ...{ branch: asBranchName(`${one.branch}.${name}`), depth: one.depth + 1 },
        // Sometimes before others: a clock may go back.
        spawnedAt: now() - (to % 4 === 0 ? 5000 : 0),
        task: `Do ${to}`,
      }),
    )
  },
  state: (world, tx, one, to) =>
    tx.agents.update(one.id, {
      state: STATES[to % STATES.length] ?? 'idle',
      stateReason: to % 3 === 0 ? `why ${to}` : null,
      stateAt: world.now(),
    }),
  outcome: (world, tx, one, to) =>
    tx.agents.update(one.id, {
      state: 'idle',
      outcome: { success: to % 2 === 0, summary: 'so', at: world.now() },
    }),
  tokens: (_, tx, one, to) => tx.agents.update(one.id, { tokens: to, toolCalls: to }),
  unseen: (world, tx, one) => tx.agents.update(one.id, { lastSeenAt: world.now() }),
  reap: async (world, tx, one, to) => {
    if (one.kind !== 'root')
      await tx.agents.update(one.id, { reapedAt: to % 3 === 0 ? null : world.now() })
  },
  undo: async (_, tx, one) => {
    const children = await tx.agents.list({ parentId: one.id })
    if (one.kind !== 'root' && children.length === 0) await tx.agents.remove(one.id)
  },
  ask: (world, tx, one, to) =>
    tx.questions.insert({
      ...{ id: newQuestionId(), agentId: one.id, message: `What ${to}?`, askedAt: world.now() },
      ...{ answer: null, answeredBy: null, answeredAt: null, claimedBy: null },
    }),
  answer: async (world, tx, _one, to) => {
    const open = await tx.questions.open()
    const question = open[to % Math.max(1, open.length)]
    if (question !== undefined) await tx.questions.answer(question.id, 'so', 'human', world.now())
  },
  approval: async (world, tx, one, to) => {
    const [pending] = await tx.approvals.pending()
    if (to % 2 === 0 && pending !== undefined)
      await tx.approvals.decide(pending.id, 'approved', null, world.now())
    else
      await tx.approvals.insert({
        ...{ id: newAgentId(), agentId: one.id, what: 'rm', requestedAt: world.now() },
        ...{ decision: null, decidedAt: null, reason: null },
      })
  },
  pull: (world, tx, one, to) => {
    const number = to % 5
    const snapshot = pull({
      ...{ number, url: `https://forge.invalid/${number}`, agentId: one.id },
      ...{ head: { branch: one.branch, sha: 'a'.repeat(40) as never }, createdAt: 1 },
      ...{ state: to % 3 === 0 ? 'merged' : 'open', updatedAt: world.now() },
      ...{ checksState: to % 2 === 0 ? 'passed' : 'failed' },
    })
    return tx.snapshots.put(`pull:${number}`, { snapshot, tracking: {} })
  },
  waits: (world, tx, one, to) =>
    to % 2 === 0
      ? tx.snapshots.remove(`own-waits:${one.id}`)
      : tx.snapshots.put(`own-waits:${one.id}`, { waits: [`task ${to}`], since: world.now() }),
  conflict: (_, tx, one, to) =>
    to % 3 === 0
      ? tx.snapshots.remove(`radar-told:${one.id}:base`)
      : tx.snapshots.put(`radar-told:${one.id}:base`, { files: [], name: one.name, other: 'main' }),
  landing: async (world, tx, _one, to) => {
    const [open] = await tx.journal.open()
    if (open !== undefined && to % 2 === 0) await tx.journal.finish(open.id, 'done')
    else
      await tx.journal.begin({
        ...{ id: newAgentId(), kind: 'merge', step: 'queued', startedAt: world.now() },
        data: { number: to % 5, queuedAt: world.now(), together: [to % 5, 9] },
      })
  },
  deliver: (world, tx, one, to) =>
    tx.outbox.enqueue({
      ...{ id: newDeliveryId(), recipient: to % 3 === 0 ? 'human' : one.id, eventSeq: null },
      ...{ kind: to % 2 === 0 ? 'note' : 'pr.ready', text: 'x', createdAt: world.now() },
    }),
  settle: async (world, tx, _one, to) => {
    const [some] = await tx.outbox.list({ states: ['queued', 'sent', 'undecided'] })
    const state = (['acked', 'undecided', 'failed'] as const)[to % 3] ?? 'acked'
    if (some !== undefined) await tx.outbox.settle([some.id], state, null, world.now())
  },
  mail: (world, tx, one, to) =>
    to % 2 === 0
      ? tx.mail.pop(one.id)
      : tx.mail.send({
          ...{ id: newAgentId(), from: newAgentId(), to: one.id, message: 'x' },
          sentAt: world.now(),
        }),
  word: (world, tx, one) =>
    tx.events.append({
      ...{ type: 'message', at: world.now(), agentId: one.id, actor: 'human', why: null },
      ...{ dedupeKey: null, payload: { message: 'go on' } },
    }),
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...Object.keys(STEPS), 'spawn', 'state', 'wait'),
  pick: fc.nat(1000),
  to: fc.nat(1000),
  within: fc.boolean(),
  reads: fc.boolean(),
})

describe('what changed of the tree', () => {
  it('is, put together, what a whole read says, whatever was written and however seldom one asks', async () => {
    const world = await openWorld()
    const { store, openWaits, root } = world
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const view = world.daemon()
        const [one, other] = [new Client(), new Client()]
        await one.read(view)
        const run = async (verbs: StoreVerbs | StoreTransaction, { do: what, pick, to }: Step) => {
          const agents = await verbs.agents.list()
          const agent = agents[pick % agents.length] ?? root
          await STEPS[what]?.(world, verbs, agent, to)
        }
        for (const next of steps) {
          world.later(1000)
          if (next.do === 'wait') {
            const agents = await store.agents.list()
            openWaits.open(agents[next.pick % agents.length]?.id ?? root.id, [root.id])
          } else if (next.within) await store.transaction((tx) => run(tx, next))
          else await run(store, next)
          if (next.reads) await one.read(view)
        }
        const whole = ageless(await view.tree())
        await one.read(view)
        await other.read(view)
        expect(one.tree()).toEqual(whole)
        expect(other.tree()).toEqual(whole)
        expect(await one.read(view)).toEqual({ complete: false, nodes: 0, removed: 0 })
      }),
      { numRuns: 60 },
    )
  })

  it('is little where little happened', async () => {
    const world = await openWorld()
    const ids = Array.from({ length: 20 }, () => newAgentId())
    for (const [index, id] of ids.entries())
      await world.store.agents.insert(
        makeAgent({ id, name: `w${index}`, parentId: world.root.id, spawnedAt: index }),
      )
    const view = world.daemon()
    const client = new Client()
    expect(await client.read(view)).toEqual({ complete: true, nodes: 21, removed: 0 })
    await world.store.agents.update(ids[3] ?? world.root.id, { state: 'waiting' })
    // It and nobody else: the root has no program that could wait for it.
    expect(await client.read(view)).toEqual({ complete: false, nodes: 1, removed: 0 })
    await world.store.agents.update(ids[3] ?? world.root.id, { lastSeenAt: 77 })
    world.later(60_000)
    expect(await client.read(view)).toEqual({ complete: false, nodes: 0, removed: 0 })
    await world.store.agents.update(ids[4] ?? world.root.id, { reapedAt: 5 })
    expect(await client.read(view)).toEqual({ complete: false, nodes: 0, removed: 1 })
  })

  it('is everything for who was told by another daemon, or names what is none', async () => {
    const world = await openWorld()
    const [before, after] = [world.daemon(), world.daemon()]
    const client = new Client()
    await client.read(before)
    await client.read(before)
    expect(await client.read(after)).toMatchObject({ complete: true, nodes: 1 })
    client.revision = 'nonsense'
    expect(await client.read(after)).toMatchObject({ complete: true, nodes: 1 })
  })

  it('sees what was rolled back as it is, and what fails in between', async () => {
    const world = await openWorld()
    const view = world.daemon()
    const client = new Client()
    await client.read(view)
    const failing = world.store.transaction(async (tx) => {
      await tx.agents.update(world.root.id, { stateReason: 'never' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await client.read(view)).toEqual({ complete: false, nodes: 0, removed: 0 })
    expect(client.tree()).toEqual(ageless(await view.tree()))
  })
})

describe('a store that is watched', () => {
  /** These read. A verb that is neither here nor in WRITING would go unseen. */
  const READING: Record<string, readonly string[]> = {
    agents: ['get', 'list', 'findByTokenHash'],
    events: ['list', 'lastSeq'],
    outbox: ['get', 'list', 'counts'],
    mail: ['peek', 'counts', 'unconfirmed'],
    questions: ['get', 'open', 'unclaimed', 'unconfirmed'],
    journal: ['open', 'get'],
    approvals: ['get', 'pending'],
    deadlines: ['due', 'next'],
    snapshots: ['get', 'keys', 'list'],
    pulls: ['get', 'list', 'reviews', 'checks'],
    scrollback: ['list'],
    runs: ['get', 'timed'],
    usage: ['list'],
  }
  it('knows every verb that writes', async () => {
    const { store } = await openWorld()
    for (const [table, reading] of Object.entries(READING)) {
      const verbs = Object.keys(store[table as keyof StoreVerbs])
      const writing = Object.keys(WRITING[table as keyof StoreVerbs])
      expect(verbs.toSorted(), table).toEqual([...reading, ...writing].toSorted())
    }
    expect(Object.keys(READING).toSorted()).toEqual(Object.keys(WRITING).toSorted())
  })
})
