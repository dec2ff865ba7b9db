import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import { doneAgents } from '../../../../src/core/tree/done.ts'
import { newAgentId, type Actor } from '../../../../src/domain/ids.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { pull } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

/** An agent that was spawned at 100 and rests, what its pull request is, and what it was sent. */
async function isDone(
  facts: Partial<Agent>,
  pulls: (agent: Agent) => readonly Partial<PullRequestSnapshot>[] = () => [],
  sent: readonly { at: number; by: 'human' | 'parent' | 'somebody'; urgency?: string }[] = [],
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'done-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  onTestFinished(() => store.close())
  const parentId = newAgentId()
  const agent = makeAgent({ state: 'idle', spawnedAt: 100, parentId, ...facts })
  const event = (type: string, at: number, actor: Actor, payload: Record<string, unknown>) =>
    store.events.append({
      ...{ type, at, actor, payload },
      ...{ agentId: agent.id, why: null, dedupeKey: null },
    })
  for (const [index, facts] of pulls(agent).entries()) {
    const number = index + 1
    const url = `https://forge.invalid/${number}`
    const head = { branch: agent.branch, sha: 'a'.repeat(40) as never }
    const snapshot = pull({ number, url, head, agentId: agent.id, ...facts })
    await store.snapshots.put(`pull:${number}`, { snapshot, tracking: {} })
    if (snapshot.state === 'merged')
      await event('pr.merged', snapshot.updatedAt + 5, parentId, { url })
  }
  const actors = { human: 'human', parent: parentId, somebody: newAgentId() } as const
  for (const { at, by, urgency } of sent)
    await event('message', at, actors[by], {
      message: 'x',
      ...(urgency === undefined ? {} : { urgency }),
    })
  return (await doneAgents(store, [agent])).has(agent.id)
}
const merged = { state: 'merged', createdAt: 150, updatedAt: 200 } as const
const success = { outcome: { success: true, at: 200 } }

it.each([
  ['reported success', success, []],
  ['has its work merged', {}, [merged]],
  ['has its work merged that a person filed', {}, [{ ...merged, agentId: null }]],
  ['reported success and has ended', { ...success, state: 'completed' }, []],
] as const)('one that %s is done', async (_, facts, pulls) => {
  expect(await isDone(facts, () => pulls)).toBe(true)
})

it.each([
  ['has done nothing', {}, []],
  ['reported a failure', { outcome: { success: false, at: 200 } }, []],
  ['has a newer open one', {}, [merged, { state: 'open' }]],
  ['has the branch of an earlier agent', {}, [{ ...merged, agentId: newAgentId() }]],
  ['has the branch of an earlier person', {}, [{ ...merged, agentId: null, createdAt: 99 }]],
  ['is a fork, on its parent’s branch', { kind: 'fork' }, [merged]],
  ['is spawned', { ...success, state: 'spawning' }, []],
  ['runs', { ...success, state: 'running' }, [merged]],
  ['waits', { ...success, state: 'waiting' }, [merged]],
  ['does nobody knows what', { ...success, state: 'unknown' }, [merged]],
] as const)('one that %s is not', async (_, facts, pulls) => {
  expect(await isDone(facts, () => pulls)).toBe(false)
})

it.each([
  [{ at: 201, by: 'human' }, false],
  [{ at: 201, by: 'parent' }, false],
  [{ at: 200, by: 'human' }, true],
  [{ at: 201, by: 'somebody' }, true],
  [{ at: 201, by: 'human', urgency: 'info' }, true],
] as const)('one that was sent %j after it was done at 200: %s', async (sent, done) => {
  expect(await isDone(success, undefined, [sent])).toBe(done)
  expect(await isDone({}, () => [merged], [sent])).toBe(done)
  // What it made of that was merged as well.
  const again = { ...merged, createdAt: 250, updatedAt: 300 }
  expect(await isDone(success, () => [merged, again], [sent])).toBe(true)
})
