import { beforeEach, describe, expect, it } from 'vitest'
import { createOverdueHolds } from '../../../src/core/maintenance/overdue-holds.ts'
import { createSilence, type Silence } from '../../../src/core/maintenance/silence.ts'
import { heldChildrenOf, holdNewsOf } from '../../../src/core/spawn/held-children.ts'
import { newAgentDefaults } from '../../../src/core/spawn/new-agent.ts'
import { recordOwnWaits } from '../../../src/core/turns/own-waits.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { newDeliveryId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import { asBranchName, type AgentId, type QuestionId } from '../../../src/domain/ids.ts'
import type { Agent, AgentPatch } from '../../../src/domain/records.ts'
import { ENDED_UNHEARD } from '../../../src/domain/lifecycle.ts'
import type { NewEvent } from '../../../src/events/event.ts'
import { agentNumber, paneOf, ROOT, useOutboxBench } from '../../helpers/outbox-bench.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { pull, sha } from '../../unit/pull-watch/pull.ts'

/** A lead that wants to know of its children together (`wake: "all_settled"`). */

const bench = useOutboxBench()
const [A, B] = [agentNumber(3), agentNumber(4)]
const NAMES = new Map([
  [A, 'a'],
  [B, 'b'],
])
const nameOf = (child: AgentId): string => NAMES.get(child) ?? ''

const addChild = async (id: AgentId): Promise<void> => {
  await bench.store.agents.insert({
    ...newAgentDefaults(0),
    ...{ id, name: nameOf(id), kind: 'worker', runtime: 'pane', role: 'dev', agentCli: 'x' },
    ...{ parentId: ROOT, depth: 1, branch: asBranchName(`main.${nameOf(id)}`), forkPoint: null },
    ...{ baseBranch: asBranchName('main'), worktree: '/w', ownsWorktree: true, adopted: false },
    ...{ task: '', state: 'running', stateSource: 'hook', tokenHash: id },
  })
  await bench.store.transaction((tx) => holdNewsOf(tx, id, ROOT))
}
const change = (id: AgentId, patch: AgentPatch) => bench.setState(id, patch)
const publish = (event: NewEvent) => bench.publisher.publish(event)
const rests = async (id: AgentId): Promise<void> => {
  await change(id, { state: 'idle' })
  await publish({ type: 'agent.idle', agentId: id, actor: id, payload: { name: nameOf(id) } })
}
const fails = async (id: AgentId): Promise<void> => {
  await change(id, { state: 'failed' })
  const how = { exit_code: 1, signal: null, reason: 'it broke', last_lines: '' }
  await publish({
    ...{ type: 'agent.failed', agentId: id, actor: id, payload: { name: nameOf(id), ...how } },
  })
}
/** Its pull request, green and open, and the news of it. */
const isReady = async (
  id: AgentId,
  number: number,
  more: Partial<PullRequestSnapshot> = {},
): Promise<void> => {
  const branch = `main.${nameOf(id)}`
  const snapshot = pull({
    ...{ number, agentId: id, url: `local://pull/${number}`, checksState: 'passed' },
    ...{ head: { branch: asBranchName(branch), sha: sha('a') }, ...more },
  })
  await bench.store.snapshots.put(`pull:${number}`, { snapshot, tracking: {} })
  const { title, url, head, base } = snapshot
  const payload = {
    number,
    title,
    url,
    head: head.branch,
    base: base.branch,
    sha: head.sha,
    unchecked: false,
  }
  await publish({ type: 'pr.ready', agentId: id, actor: 'daemon', payload })
}
/** What the lead was sent, each message whole. */
const sent = (): string[] => bench.terminals.submitted.map(({ text }) => text)
const tags = (text: string): string[] => text.match(/\[[A-Z][A-Z ]+\]/g) ?? []
const nothingSent = async (): Promise<void> => {
  await bench.outbox.settled()
  expect(sent()).toEqual([])
}

beforeEach(async () => {
  await bench.family()
  bench.program.script.send = () => ({ kind: 'accepted' })
  bench.cli = { ...bench.cli, acks: false }
  for (const child of [A, B]) await addChild(child)
  await bench.outbox.start()
})

describe('children that are waited for together', () => {
  it('are one message once none goes on by itself, and each its own afterwards', async () => {
    await isReady(A, 1)
    await nothingSent()
    await fails(B)
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toEqual(['[PR READY]', '[CHILD FAILED]'])
    expect(await heldChildrenOf(bench.store, ROOT)).toEqual([])

    await bench.store.snapshots.remove('pull:1')
    const payload = { name: 'a', summary: 'Done.' }
    await publish({ type: 'agent.completed', agentId: A, actor: A, payload })
    await waitFor('the lead to be notified', () => sent().length === 2)
  })

  it('go on while they work, are checked or fix what was found, and not while they wait for a person', async () => {
    await rests(A)
    await nothingSent()
    for (const more of [
      { checksState: 'pending' },
      { draft: true },
      { mergeable: 'conflicting' },
    ]) {
      await isReady(B, 2, more as Partial<PullRequestSnapshot>)
      await nothingSent()
    }
    await change(B, { state: 'waiting', stateReason: 'a dialog' })
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '').slice(0, 1)).toEqual(['[CHILD IDLE]'])
  })

  it.each(['killed', 'asking', 'removed'] as const)('are complete when one is %s', async (how) => {
    await rests(A)
    await nothingSent()
    if (how === 'asking')
      await bench.store.questions.insert({
        ...{ id: 'q-1' as QuestionId, agentId: B, message: 'Which?', askedAt: 1, answer: null },
        ...{ answeredBy: null, answeredAt: null, claimedBy: null },
      })
    if (how === 'removed') await bench.store.agents.remove(B)
    await (how === 'killed' ? change(B, { state: 'killed' }) : change(A, { state: 'idle' }))
    if (how !== 'killed') bench.outbox.wake(ROOT)
    await waitFor('the lead to be notified', () => sent().length === 1)
  })

  it.each<readonly [Partial<PullRequestSnapshot>]>([
    [{ blockers: [{ kind: 'review', needs: 'a review', person: true }] }],
    [{ checksState: 'pending', scheduled: { kind: 'auto', by: 'daemon', since: 1 } }],
    [{ state: 'merged' }],
  ])('are complete when the last has a pull request that is %o', async (more) => {
    await rests(A)
    await nothingSent()
    await isReady(B, 2, more)
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')[0]).toBe('[CHILD IDLE]')
  })

  it('hold nothing that somebody wrote or that stops one of them, who is waited for no more', async () => {
    await isReady(A, 1)
    await publish({
      ...{ type: 'note', agentId: B, actor: B, payload: { name: 'b', message: 'Half done.' } },
    })
    await waitFor('the note', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toEqual(['[NOTE]'])
    expect(await heldChildrenOf(bench.store, ROOT)).toEqual([A, B])
    const wait = { name: 'b', reason: 'a dialog', source: 'screen', screen: '> yes?' }
    await publish({ type: 'agent.waiting', agentId: B, actor: B, payload: wait })
    await waitFor('the dialog', () => sent().length === 2)
    expect(await heldChildrenOf(bench.store, ROOT)).toEqual([A, B])
    const payload = { name: 'b', minutes: 30, dedupe: '1', waits_for: '', rests: false }
    await publish({ type: 'agent.silent', agentId: B, actor: 'daemon', payload })
    await waitFor('the lead to be notified', () => sent().length === 3)
    expect(tags(sent()[2] ?? '')).toEqual(['[PR READY]', '[SILENT]'])
  })

  it('go to the hook of a lead whose turn ends no sooner', async () => {
    await change(ROOT, { state: 'running' })
    await rests(A)
    expect(await bench.outbox.takeForHook(ROOT)).toBeNull()
    await rests(B)
    expect(tags((await bench.outbox.takeForHook(ROOT)) ?? '')).toEqual([
      '[CHILD IDLE]',
      '[CHILD IDLE]',
    ])
  })

  it('are so after a restart as well', async () => {
    await rests(A)
    await nothingSent()
    await bench.outbox.stop()
    await fails(B)
    bench.outbox = bench.newOutbox()
    await bench.outbox.start()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toEqual(['[CHILD IDLE]', '[CHILD FAILED]'])
  })
})

/** Half an hour: `attention.stalled_after`. */
const LONG = 1_800_000
/** What a daemon does from time to time, since it was started. */
const upkeep = (): (() => Promise<void>) => {
  const holds = createOverdueHolds({ ...bench, clock: bench.clock, log: silentLog() })
  return async () => {
    await holds.end(bench.config)
    bench.outbox.wake(ROOT)
  }
}

describe('what they are waited for', () => {
  it('is over where one rests whose rest is only logged, or has no words', async () => {
    bench.publisher = createPublisher({
      ...{ store: bench.store, clock: bench.clock, log: silentLog(), newDeliveryId },
      renderer: {
        render: async ({ type }: { type: string }) => (type === 'agent.idle' ? '' : `[${type}]`),
      } as never,
    })
    await bench.outbox.stop()
    bench.outbox = bench.newOutbox()
    await bench.outbox.start()
    await isReady(A, 1)
    await nothingSent()
    await rests(B)
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(sent()[0]).toContain('[pr.ready]')
    expect(sent()[0]).not.toContain('agent.idle')
  })

  it.each<readonly [string, AgentPatch, string]>([
    ['is unknown', { state: 'unknown' }, 'what it does can’t be determined'],
    ['is still being started', { state: 'spawning' }, 'it is still being started'],
    ['waits for mail', { state: 'waiting', stateReason: 'wait' }, 'it waits for mail'],
    ['was interrupted', { state: 'idle' }, 'nothing is known that it waits for'],
  ])('ends with a child that %s and gives no sign', async (_, patch, why) => {
    const look = upkeep()
    await isReady(A, 1)
    await change(B, { ...patch, lastSeenAt: bench.clock(), paneId: null })
    await look()
    bench.shift = LONG - 1000
    await look()
    await nothingSent()
    bench.shift = LONG + 1000
    await look()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toEqual(['[PR READY]', '[CHILD UNSETTLED]'])
    expect(sent()[0]).toContain(
      `gave no sign for 30 minutes: ${why.startsWith('nothing') ? `it rests, and ${why}` : why}.`,
    )
    expect(await heldChildrenOf(bench.store, ROOT)).toEqual([])
    await look()
    await bench.outbox.settled()
    expect(sent()).toHaveLength(1)
  })

  it('goes on while anybody below it shows a sign, or its pull request does', async () => {
    const look = upkeep()
    await rests(A)
    await change(B, { state: 'idle', lastSeenAt: bench.clock() })
    const C = agentNumber(5)
    NAMES.set(C, 'b.c')
    await addChild(C)
    await bench.store.snapshots.remove(`held:${C}`)
    await change(C, { parentId: B, state: 'running' })
    for (const hours of [1, 2]) {
      bench.shift = hours * 2 * LONG
      await change(C, { lastSeenAt: bench.clock() })
      await look()
      await nothingSent()
    }
    await change(C, { state: 'killed' })
    bench.shift = 5 * LONG
    await look()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toContain('[CHILD IDLE]')
  })

  it('ends with one that reported, was given more, and rests for a server', async () => {
    const look = upkeep()
    await isReady(A, 1)
    await change(B, { outcome: { success: true, summary: 'Done.', at: 1 } })
    await publish({
      ...{ type: 'agent.completed', agentId: B, actor: B },
      payload: { name: 'b', summary: 'Done.' },
    })
    await bench.say('More.', B)
    await recordOwnWaits(bench.store, B, { waits: ['npm run dev'], since: bench.clock() })
    await rests(B)
    await change(B, { lastSeenAt: bench.clock(), paneId: null })
    await nothingSent()
    bench.shift = LONG + 1000
    await look()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '').at(-1)).toBe('[CHILD UNSETTLED]')
    expect(sent()[0]).toContain('it waits for npm run dev.')
  })

  it('ends though a daemon is killed before, and is asked again by none that has just begun', async () => {
    await isReady(A, 1)
    await change(B, { state: 'unknown', lastSeenAt: bench.clock() })
    await bench.outbox.stop()
    bench.shift = 3 * LONG
    bench.outbox = bench.newOutbox()
    await bench.outbox.start()
    const look = upkeep()
    await look()
    await nothingSent()
    bench.shift += 61_000
    await look()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '').at(-1)).toBe('[CHILD UNSETTLED]')
  })
})

describe('an agent that reported nothing', () => {
  const silences = async () =>
    (await bench.store.events.list({ types: ['agent.silent'] })).map(
      ({ payload: { waits_for: what, rests } }) => [rests, what],
    )
  let silence: Silence
  beforeEach(() => (silence = createSilence({ ...bench, clock: bench.clock })))
  const look = async (): Promise<void> => {
    for (const id of [A, B])
      await silence.report(bench.config, (await bench.store.agents.get(id)) as Agent)
  }
  const paned = { paneId: paneOf(B) }

  it('is only shown while it waits for what it began itself, until that may be a server', async () => {
    await change(A, { state: 'killed' })
    await recordOwnWaits(bench.store, B, { waits: ['npm test'], since: bench.clock() })
    await change(B, { state: 'idle', ...paned })
    bench.shift = 3 * LONG
    await look()
    expect(await silences()).toEqual([])
    bench.shift = 4 * LONG + 1000
    await look()
    await look()
    expect(await silences()).toEqual([[true, 'npm test']])
  })

  it('is so for ever where it set itself a time', async () => {
    await change(A, { state: 'killed' })
    const waits = ['npm test', 'a wake-up it asked for: 0 9 * * *']
    await recordOwnWaits(bench.store, B, { waits, since: bench.clock(), scheduled: true })
    await change(B, { state: 'idle', ...paned })
    bench.shift = 40 * LONG
    await look()
    expect(await silences()).toEqual([])
  })

  it('is reported where it rests for nothing known, and nobody was notified', async () => {
    await change(B, { state: 'idle', stateReason: 'interrupted', ...paned })
    await change(A, { state: 'killed' })
    bench.shift = LONG - 1000
    await look()
    expect(await silences()).toEqual([])
    bench.shift = LONG + 1000
    await look()
    await look()
    expect(await silences()).toEqual([[true, '']])
  })

  it('is none of those whose parent knows of it, who are waited for or have something to do', async () => {
    await rests(B)
    await change(B, { ...paned })
    await change(A, { state: 'idle', paneId: paneOf(A) })
    await bench.say('Go on.', A)
    bench.shift = 2 * LONG
    await look()
    expect(await silences()).toEqual([])
  })

  it('is made up for whose turn ended while no daemon ran, once', async () => {
    await change(A, { state: 'killed' })
    await change(B, { state: 'idle', stateReason: ENDED_UNHEARD, ...paned })
    await look()
    await look()
    await waitFor('the lead to be notified', () => sent().length === 1)
    expect(tags(sent()[0] ?? '')).toContain('[CHILD IDLE]')
    expect(await bench.eventTypes()).toHaveLength(
      (await bench.eventTypes()).filter((type) => type !== 'agent.idle').length + 1,
    )
  })
})
