import { beforeEach, describe, expect, it } from 'vitest'
import { heldChildrenOf, holdNewsOf } from '../../../src/core/spawn/held-children.ts'
import { newAgentDefaults } from '../../../src/core/spawn/new-agent.ts'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import { asBranchName, type AgentId, type QuestionId } from '../../../src/domain/ids.ts'
import type { AgentPatch } from '../../../src/domain/records.ts'
import type { NewEvent } from '../../../src/events/event.ts'
import { agentNumber, ROOT, useOutboxBench } from '../../helpers/outbox-bench.ts'
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
    const payload = { name: 'b', minutes: 30, dedupe: '1', waits_for: '' }
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
