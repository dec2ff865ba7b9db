import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import { createCleaning } from '../../../../src/core/maintenance/cleaning.ts'
import type { Sha } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

/** A clean whose own steps fail, as a store on a full disk makes them. */

const TIP = 'a'.repeat(40) as Sha

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'clean-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const log = silentLog()
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log })
  onTestFinished(() => store.close())
  const root = makeAgent({ name: 'root', kind: 'root', ownsWorktree: false })
  const agent = makeAgent({
    ...{ name: 'one', state: 'killed', parentId: root.id, baseBranch: root.branch },
    ...{ forkPoint: TIP, adopted: false, ownsWorktree: true },
  })
  await store.agents.insert(root)
  await store.agents.insert(agent)
  const removed: string[] = []
  const fails = { look: false, branches: false, record: false }
  const there = new Set<string>([agent.worktree])
  const published: string[] = []
  const cleaning = createCleaning({
    ...{ store, log, clock: Date.now, onJournalStep: () => {} },
    settings: { snapshot: async () => ({ config: { worktree: { teardown: [] } } }) },
    git: {
      branches: async () => {
        if (fails.look) throw new Error('git failed')
        return new Map([[agent.branch, TIP]])
      },
      worktrees: async () => [...there].map((path) => ({ path, prunable: false })),
      status: async () => ({ operation: null, dirty: [], branch: agent.branch, head: TIP }),
      resolve: async () => TIP,
      isAncestor: async () => true,
      removeWorktree: async (path: string) => {
        removed.push(path)
        there.delete(path)
      },
      deleteBranches: async () => {
        if (fails.branches) throw new Error('no answer')
        return new Map([[agent.branch, true]])
      },
      remoteTips: async () => new Map(),
      deleteRemoteBranches: async () => {},
    },
    forge: { remote: 'origin', find: async () => [] },
    files: {
      realPath: async (path: string) => path,
      exists: async (path: string) => there.has(path),
      removeFolder: async () => {
        if (fails.record) throw new Error('ENOSPC')
      },
    },
    trash: { folder: '/trash', empty: () => {} },
    panes: { find: async () => undefined, closeAll: async () => {} },
    publisher: { publish: async ({ type }: { type: string }) => void published.push(type) },
    endPrograms: async () => {},
    results: { record: async () => {} },
    teardown: async () => [],
  } as unknown as Parameters<typeof createCleaning>[0])
  const clean = () => cleaning.clean({ dryRun: false, kill: false, addresses: [] })
  return { ...{ store, agent, cleaning, clean, fails, removed, published } }
}

it('that failed after worktrees went is finished by reconciliation, once', async () => {
  const { store, agent, cleaning, clean, fails, removed, published } = await world()
  fails.record = true
  await expect(clean()).rejects.toThrow('ENOSPC')
  expect(removed).toEqual([agent.worktree])
  const [entry] = await store.journal.open()
  expect(cleaning.failedCleans).toEqual(new Set([entry!.id]))
  await expect(cleaning.settleClean(entry!)).rejects.toThrow('ENOSPC')
  fails.record = false
  // Somebody asks again meanwhile.
  expect((await clean()).removed).toMatchObject([{ agent: 'one' }])
  expect(await cleaning.settleClean(entry!)).toBe('done')
  expect((await store.agents.get(agent.id))?.cleanedAt).not.toBeNull()
  expect(published).toEqual(['agent.removed'])
  expect(await store.journal.open()).toEqual([])
  expect(cleaning.failedCleans.size).toBe(0)
})

it('that failed before anything went is over', async () => {
  const { store, agent, cleaning, clean, fails, removed } = await world()
  fails.look = true
  await expect(clean()).rejects.toThrow('git failed')
  expect(removed).toEqual([])
  expect(await store.journal.open()).toEqual([])
  expect(cleaning.failedCleans.size).toBe(0)
  expect((await store.agents.get(agent.id))?.cleanedAt).toBeNull()
})
