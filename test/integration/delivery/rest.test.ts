import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import { createMailbox } from '../../../src/core/mail/mailbox.ts'
import { createWaitStatuses } from '../../../src/core/mail/wait-statuses.ts'
import { recordOwnWaits } from '../../../src/core/turns/own-waits.ts'
import { createOutboxRecords } from '../../../src/delivery/outbox-records.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asBranchName, asPaneId, type AgentId } from '../../../src/domain/ids.ts'
import type { Agent, Reach } from '../../../src/domain/records.ts'
import { newDeliveryId } from '../../../src/domain/ids.ts'
import type { NewEvent } from '../../../src/events/event.ts'
import type { Publisher } from '../../../src/events/publish.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { agentRow } from '../../conformance/store/rows.ts'

/** Whom the end of a turn wakes, and what becomes of what is only carried along. */

let folder: string
let store: Store
let publisher: Publisher
let [root, lead, worker, other]: Agent[] = []
let clock = 1000

const agent = (name: string, parent: Agent | undefined, more: Partial<Agent> = {}): Agent =>
  agentRow({
    name: name.split('.').at(-1) ?? name,
    branch: asBranchName(name),
    baseBranch: parent === undefined ? null : parent.branch,
    parentId: parent?.id ?? null,
    paneId: asPaneId(`%${name.length}`),
    state: 'idle',
    ...more,
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exomonad-rest-'))
  store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  const renderer = createRenderer({
    shippedFolder: fileURLToPath(new URL('../../../templates', import.meta.url)),
    overrideFolder: async () => null,
    log: silentLog(),
  })
  publisher = createPublisher({
    store,
    renderer,
    clock: () => (clock += 1),
    log: silentLog(),
    newDeliveryId,
  })
  root = agent('main', undefined, { kind: 'root' })
  lead = agent('main.lead', root, { kind: 'subtree', role: 'tl' })
  worker = agent('main.lead.a', lead)
  other = agent('main.lead.b', lead)
  for (const one of [root, lead, worker, other]) await store.agents.insert(one)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const publish = (event: NewEvent) => publisher.publish(event)
const rests = (of: Agent) =>
  publish({ type: 'agent.idle', agentId: of.id, actor: of.id, payload: { name: of.name } })
const pull = (of: Agent, number = 1) => ({
  ...{ number, title: 'Work', url: `local://pull/${String(number)}`, head: of.branch },
  base: of.baseBranch ?? '',
})
const merged = (of: Agent, actor: NewEvent['actor']) =>
  publish({
    type: 'pr.merged',
    agentId: of.id,
    actor,
    payload: { ...pull(of), sha: null, by: 'somebody', external: true, local_error: null },
  })
const message = (to: Agent, urgency?: 'info') =>
  publish({
    type: 'message',
    agentId: to.id,
    actor: 'human',
    payload: { message: 'Go on.', ...(urgency !== undefined && { urgency }) },
  })
const sent = async (to: AgentId): Promise<[string, Reach, string][]> =>
  (await store.outbox.list({ recipient: to })).map(({ kind, reach, why }) => [
    kind,
    reach,
    why ?? '',
  ])
/** Kind and reach of what came last. */
const last = async (to: Agent) => (await sent(to.id)).at(-1)

describe('an agent that rests', () => {
  it('is news once, until it was given more or said something', async () => {
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'wake', ''])
    await rests(worker!)
    expect(await last(lead!)).toEqual([
      'agent.idle',
      'log',
      expect.stringContaining('known to rest'),
    ])
    // A thank-you is not more.
    await message(worker!, 'info')
    expect(await last(worker!)).toEqual(['message', 'carry', ''])
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'log', expect.any(String)])
    await message(worker!)
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'wake', ''])
    await publish({
      type: 'agent.started',
      agentId: worker!.id,
      actor: worker!.id,
      payload: { name: 'a', resumed: true },
    })
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'wake', ''])
  })

  it('is none after it reported what came of its task', async () => {
    await publish({
      type: 'agent.completed',
      agentId: worker!.id,
      actor: worker!.id,
      payload: { name: 'a', summary: 'Done.' },
    })
    expect(await last(lead!)).toEqual(['agent.completed', 'wake', ''])
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'log', expect.any(String)])
  })

  it('is none while it waits for others, and is where those rest as well, or only a server runs', async () => {
    await rests(lead!)
    expect(await last(root!)).toEqual(['agent.idle', 'log', 'it waits for a, b'])
    for (const one of [worker!, other!]) await rests(one)
    await rests(lead!)
    expect(await last(root!)).toEqual(['agent.idle', 'wake', ''])

    const server = agent('main.lead.serve', lead, { kind: 'process', state: 'running' })
    await store.agents.insert(server)
    await message(lead!)
    await rests(lead!)
    expect(await last(root!)).toEqual(['agent.idle', 'wake', ''])
  })

  it('is none while something of its own will wake it, as its program said', async () => {
    const own = (waits: readonly string[]) => recordOwnWaits(store, worker!.id, { waits, since: 5 })
    await own(['a background task: npm test'])
    await rests(worker!)
    expect(await last(lead!)).toEqual([
      'agent.idle',
      'log',
      'it waits for a background task: npm test',
    ])
    await own([])
    await rests(worker!)
    expect(await last(lead!)).toEqual(['agent.idle', 'wake', ''])
  })

  it('is woken by the last that it rests for, which else would only be carried along', async () => {
    await rests(lead!)
    await merged(worker!, 'human')
    expect(await last(lead!)).toEqual(['pr.merged', 'carry', ''])
    await store.agents.update(worker!.id, { state: 'killed' })
    await publish({
      type: 'agent.killed',
      agentId: other!.id,
      actor: 'human',
      payload: { name: 'b', by: 'the human' },
    })
    expect(await last(lead!)).toEqual(['agent.killed', 'wake', ''])
    // Whoever did so knows.
    await merged(other!, lead!.id)
    expect(await last(lead!)).toEqual(['pr.merged', 'log', 'it did so itself'])
  })
})

describe('what is carried along', () => {
  it('is the newest state of each subject; what somebody wrote stays', async () => {
    await publish({
      type: 'pr.opened',
      agentId: worker!.id,
      actor: worker!.id,
      payload: { ...pull(worker!), draft: false },
    })
    const review = {
      ...{ ...pull(worker!), review_id: 'r1', state: 'approved' as const, author: 'ann' },
      ...{ body: 'Nice.', comments: [], trusted: true, stale: false },
    }
    await publish({ type: 'pr.review', agentId: worker!.id, actor: 'forge:ann', payload: review })
    await merged(worker!, 'forge:ann')
    const queued = await store.outbox.list({ recipient: lead!.id, states: ['queued'] })
    expect(queued.map(({ kind }) => kind)).toEqual(['pr.review', 'pr.merged'])
    expect(await sent(lead!.id)).toContainEqual(['pr.opened', 'carry', 'there is newer news of it'])
  })

  it('of an agent that ended goes nowhere, but for what somebody wrote', async () => {
    const records = createOutboxRecords({ store, publisher, clock: () => (clock += 1) })
    await merged(worker!, 'human')
    await message(worker!, 'info')
    await store.agents.update(worker!.id, { state: 'killed' })
    await records.abandon(worker!.id, true)
    expect((await sent(worker!.id)).map(([kind]) => kind)).toEqual(['pr.merged'])
    expect((await store.outbox.list({ recipient: worker!.id }))[0]?.state).toBe('withdrawn')
    expect(await last(lead!)).toEqual([
      'message',
      'carry',
      expect.stringContaining('meant for a, which was killed'),
    ])
  })
})

const mailboxOf = () => createMailbox({ store, publisher, clock: () => (clock += 1) })
const write = (message: string, urgency?: 'info') =>
  store.transaction((tx) => mailboxOf().sendIn(tx, lead!, worker!, message, urgency))
const lines = async () =>
  (await store.outbox.list({ recipient: worker!.id, states: ['queued'] })).map(
    ({ kind, reach }) => [kind, reach],
  )

describe('mail', () => {
  it('is announced again with the next where nobody knows whether the line arrived', async () => {
    const records = createOutboxRecords({ store, publisher, clock: () => (clock += 1) })
    await write('The logout, please.')
    const queued = () => store.outbox.list({ recipient: worker!.id, states: ['queued'] })
    const line = await queued()
    await store.outbox.claim([line[0]!.id], 'pane', 'b-1', 1)
    await write('Also the login.')
    expect(await lines()).toEqual([])
    await records.undecided(worker!, line, 'not confirmed')
    await write('And the tests.')
    expect(await lines()).toEqual([['mail', 'wake']])
    await write('And the docs.')
    expect(await lines()).toEqual([['mail', 'wake']])
  })
})

describe('mail that an agent had not read when it ended', () => {
  const ends = async (state: 'killed' | 'completed' | 'failed', handed = false) => {
    const records = createOutboxRecords({ store, publisher, clock: () => (clock += 1) })
    await store.transaction((tx) => mailboxOf().sendIn(tx, other!, worker!, 'The logout, please.'))
    await write('Go on.')
    const line = (await store.outbox.list({ recipient: worker!.id })).map(({ id }) => id)
    expect(line).toHaveLength(1)
    if (handed) {
      await store.outbox.claim(line, 'pane', 'b-1', 1)
      await store.outbox.handed(line, 2)
    }
    await store.agents.update(worker!.id, { state })
    await records.abandon(worker!.id, true)
  }
  const words = async () =>
    (await store.outbox.list({ recipient: lead!.id })).map((one) => one.text)

  it.each([
    ['killed', false],
    ['completed', false],
    ['killed', true],
    ['completed', true],
  ] as const)(
    'goes to the next in line in its own words, but for what that one wrote (%s, handed: %s)',
    async (state, handed) => {
      await ends(state, handed)
      expect(await words()).toEqual([
        '[MESSAGE] from b, meant for a, which has ended: The logout, please.',
      ])
      expect(await store.mail.counts()).toEqual(new Map())
      expect(await store.outbox.list({ states: ['undecided'] })).toEqual([])
      expect(await lines()).toEqual([])
    },
  )

  it('stays for one that can be resumed, which is notified again then', async () => {
    await ends('failed')
    expect(await words()).toEqual([])
    expect(await lines()).toEqual([])
    await store.agents.update(worker!.id, { state: 'idle' })
    await mailboxOf().remind(worker!)
    expect(await lines()).toEqual([['mail', 'wake']])
    expect(await store.mail.peek(worker!.id)).toHaveLength(2)
  })
})

describe('mail that needs nothing', () => {
  it('is announced along with what comes next; mail that needs something wakes after all', async () => {
    await write('Thanks!', 'info')
    expect(await lines()).toEqual([['mail', 'carry']])
    await write('And again.', 'info')
    expect(await lines()).toEqual([['mail', 'carry']])
    await write('Also the logout, please.')
    expect(await lines()).toEqual([['mail', 'wake']])
    await write('Thanks!', 'info')
    expect(await lines()).toEqual([['mail', 'wake']])
  })

  it('keeps nobody who waits for its recipient waiting', async () => {
    const statuses = createWaitStatuses({
      settings: {
        snapshot: () => Promise.reject(new Error('not needed')),
        requireTrust: async () => {},
      },
    })
    const status = () => statuses.withoutMessage(store, worker!.id, lead!.id, new Set())
    await write('Thanks!', 'info')
    expect(await status()).toBe('idle')
    await write('Also the logout, please.')
    expect(await status()).toBe('running')
  })

  it('given back by a call that was cut off wakes only where other mail is with it', async () => {
    const mailbox = mailboxOf()
    await write('Thanks!', 'info')
    const takeAll = () => store.transaction((tx) => mailbox.take(tx, worker!.id))
    await mailbox.receiptOf(await takeAll()).giveBack()
    expect(await lines()).toEqual([['mail', 'carry']])
    await write('Also the logout, please.')
    await mailbox.receiptOf(await takeAll()).giveBack()
    expect(await lines()).toEqual([['mail', 'wake']])
  })
})

describe('what was merged beside an agent', () => {
  const texts = async (to: Agent) =>
    (await store.outbox.list({ recipient: to.id, states: ['queued'] })).map(({ text }) => text)
  const land = (of: Agent, number: number) =>
    publish({
      type: 'pr.merged',
      agentId: of.id,
      actor: lead!.id,
      payload: {
        ...{ ...pull(of, number), sha: null, by: 'lead', external: false, local_error: null },
        ...{ remote: 'origin', scheduled: false, tried_by: [] },
      },
    })

  it('is a line for each, which wakes nobody, also one that rests for nothing', async () => {
    const more = agent('main.lead.c', lead)
    await store.agents.insert(more)
    await rests(more)
    await land(worker!, 1)
    await land(other!, 2)
    expect(await texts(more)).toEqual([
      '[MERGED] #1 "Work" of a was merged into main.lead; your branch is behind it.',
      '[MERGED] #2 "Work" of b was merged into main.lead; your branch is behind it.',
    ])
    expect((await store.outbox.list({ recipient: more.id })).map(({ reach }) => reach)).toEqual([
      'carry',
      'carry',
    ])
    expect(await last(lead!)).toEqual(['pr.merged', 'log', expect.any(String)])
    // The end of its next turn is no news for having read that.
    await rests(more)
    expect(await last(lead!)).toEqual(['agent.idle', 'log', expect.stringContaining('known')])
  })

  it('is none of those whose work is merged, and says so to those who filed', async () => {
    const snapshot = (number: number, state: string, of: Agent) =>
      store.snapshots.put(`pull:${String(number)}`, {
        snapshot: { number, state, draft: false, head: { branch: of.branch } },
        tracking: {},
      })
    const more = agent('main.lead.c', lead)
    await store.agents.insert(more)
    await snapshot(1, 'merged', other!)
    await snapshot(2, 'open', more)
    await land(worker!, 3)
    expect(await texts(other!)).toEqual([])
    expect(await texts(more)).toEqual([
      '[MERGED] #3 "Work" of a was merged into main.lead; your own pull request needs nothing for that.',
    ])
  })
})
