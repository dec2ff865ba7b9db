import { expect, it } from 'vitest'
import { createCleaning } from '../../../../src/core/maintenance/cleaning.ts'
import { asPaneId, type Sha } from '../../../../src/domain/ids.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { controlWorld } from '../agents/control-world.ts'
import { makeAgent } from '../make-agent.ts'

/** A clean during which agents are given work, brought back or spawned: its records are real. */

const TIP = 'a'.repeat(40) as Sha
const DONE = { outcome: { success: true, summary: 'done', at: 1 } }

/**
 * A lead that is done and rests, and its child, which was killed. The clean stands in the teardown
 * of `held` until it is released.
 */
async function cleanHeldAt(held: 'child' | 'lead', facts: Partial<Agent> = {}) {
  const world = await controlWorld()
  const { store } = world
  const root = makeAgent({ name: 'root', kind: 'root', depth: 0, ownsWorktree: false })
  const place = (name: string, parent: Agent): Partial<Agent> => ({
    ...{ name, parentId: parent.id, baseBranch: parent.branch, depth: parent.depth + 1 },
    ...{ forkPoint: TIP, tokenHash: name },
  })
  const lead = makeAgent({
    ...{ ...place('lead', root), kind: 'subtree', state: 'idle', paneId: asPaneId('%1') },
    ...{ ...DONE, ...facts },
  })
  const child = makeAgent({ ...place('child', lead), state: 'killed' })
  for (const agent of [root, lead, child]) await store.agents.insert(agent)
  const there = new Set([lead.worktree, child.worktree])
  const ended: string[] = []
  const leftBehind: string[] = []
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const branchAt = (path: string) => (path === lead.worktree ? lead : child).branch
  const { clean } = createCleaning({
    ...{ ...world, onJournalStep: () => {} },
    settings: { snapshot: async () => ({ config: { worktree: { teardown: [['down']] } } }) },
    git: {
      branches: async () => new Map([lead, child].map(({ branch }) => [branch, TIP])),
      worktrees: async () => [...there].map((path) => ({ path, prunable: false })),
      status: async (path: string) => ({
        ...{ operation: null, dirty: [], branch: branchAt(path), head: TIP },
      }),
      resolve: async () => TIP,
      isAncestor: async () => true,
      requireRemovable: async () => {},
      removeWorktree: async (path: string) => void there.delete(path),
      deleteBranches: async (tips: Map<string, Sha>) =>
        new Map([...tips.keys()].map((branch) => [branch, true])),
      remoteTips: async () => new Map(),
      deleteRemoteBranches: async () => {},
    },
    forge: { remote: 'origin', find: async () => [] },
    files: {
      realPath: async (path: string) => path,
      exists: async (path: string) => there.has(path),
      removeFolder: async () => {},
    },
    trash: { folder: '/trash', empty: () => {} },
    panes: {
      find: async () => undefined,
      closeAll: async (agents: Agent[]) => void leftBehind.push(...agents.map(({ name }) => name)),
    },
    endPrograms: async (agents: Agent[]) => void ended.push(...agents.map(({ name }) => name)),
    results: { record: async () => {} },
    teardown: async ({ name }: Agent) => {
      if (name !== held) return []
      begun.resolve()
      await release.promise
      return []
    },
  } as unknown as Parameters<typeof createCleaning>[0])
  const cleaned = clean({ dryRun: false, kill: true, addresses: [] })
  await begun.promise
  return {
    ...{ ...world, lead, child, there, ended, leftBehind },
    finish: () => (release.resolve(), cleaned),
    /** As a message to it does. */
    send: () =>
      world.publisher.publish({
        ...{ type: 'message', agentId: lead.id, actor: 'human' },
        payload: { message: 'One more thing' },
      }),
    now: async () => (await store.agents.get(lead.id))!,
  }
}

const of = ({
  removed,
  kept,
}: Awaited<ReturnType<ReturnType<typeof createCleaning>['clean']>>) => ({
  removed: removed.map(({ agent }) => agent),
  kept: Object.fromEntries(kept.map(({ agent, reason }) => [agent, reason])),
})

it('a lead that nothing happens to is ended and taken away', async () => {
  const { finish, there, ended, now } = await cleanHeldAt('child')
  expect(of(await finish())).toEqual({ removed: ['child', 'lead'], kept: {} })
  expect([...there]).toEqual([])
  expect(ended).toEqual(['lead'])
  expect((await now()).cleanedAt).not.toBeNull()
})

it('a lead that is sent more work while its children are torn down, and works, is kept', async () => {
  const { finish, send, lead, there, ended, states, now } = await cleanHeldAt('child')
  await send()
  await states.change(lead.id, { to: 'running', source: 'hook', actor: lead.id })
  expect(of(await finish())).toEqual({
    removed: ['child'],
    kept: { lead: 'its program may still run (running); kill it first' },
  })
  expect([...there]).toEqual([lead.worktree])
  expect(ended).toEqual([])
  expect(await now()).toMatchObject({ state: 'running', cleanedAt: null })
})

it('a lead that is sent more work while its children are torn down, and rests still, is kept', async () => {
  const { finish, send, lead, there, ended, now } = await cleanHeldAt('child')
  await send()
  expect(of(await finish()).kept).toEqual({
    lead: 'its program may still run (idle); kill it first',
  })
  expect([...there]).toEqual([lead.worktree])
  expect(ended).toEqual([])
  expect(await now()).toMatchObject({ state: 'idle', cleanedAt: null })
})

it('one that had a turn of which nobody asked it is looked at anew by the next clean', async () => {
  const { finish, lead, there, ended, states, clock } = await cleanHeldAt('child')
  const at = clock() + 5
  await states.change(lead.id, { to: 'running', source: 'hook', actor: lead.id })
  await states.change(lead.id, { to: 'idle', source: 'hook', actor: lead.id, at })
  expect(of(await finish()).kept).toEqual({
    lead: 'its program may still run (idle); kill it first',
  })
  expect([...there]).toEqual([lead.worktree])
  expect(ended).toEqual([])
})

it.each(['child', 'lead'] as const)(
  'a lead that failed and is brought back during the teardown of the %s is kept, with all that runs there',
  async (held) => {
    const { finish, lead, there, leftBehind, states } = await cleanHeldAt(held, {
      state: 'failed',
    })
    leftBehind.length = 0
    await states.change(lead.id, {
      ...{ to: 'spawning', source: 'human', actor: 'human' },
      patch: { paneId: asPaneId('%9') },
    })
    expect(of(await finish()).kept).toEqual({
      lead: 'its program may still run (spawning); kill it first',
    })
    expect([...there]).toEqual([lead.worktree])
    expect(leftBehind).toEqual([])
  },
)

it.each(['child', 'lead'] as const)(
  'a worktree whose branch gets an agent based on it during the teardown of the %s is kept',
  async (held) => {
    const { finish, lead, there, ended, store } = await cleanHeldAt(held)
    await store.agents.insert(
      makeAgent({ name: 'late', baseBranch: lead.branch, state: 'spawning', tokenHash: 'late' }),
    )
    expect(of(await finish()).kept).toEqual({ lead: 'it is the base of late, which stays' })
    expect([...there]).toEqual([lead.worktree])
    // Its own teardown comes after its end.
    expect(ended).toEqual(held === 'lead' ? ['lead'] : [])
  },
)

it('a worktree that another agent goes on in meanwhile is kept', async () => {
  const { finish, lead, there, store, clock } = await cleanHeldAt('child', { state: 'failed' })
  await store.agents.update(lead.id, { cleanedAt: clock() })
  const { branch, worktree } = lead
  await store.agents.insert(
    makeAgent({ ...{ name: 'heir', state: 'spawning', tokenHash: 'heir' }, branch, worktree }),
  )
  expect(of(await finish()).kept).toEqual({
    lead: 'heir may still work in it (spawning); kill that first',
  })
  expect([...there]).toEqual([lead.worktree])
})
