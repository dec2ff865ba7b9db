import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import { asBranchName, asPaneId, newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { agentRow, sha } from './rows.ts'

export function agentVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('agents', () => {
    it('returns what was inserted, also after a restart', async () => {
      const own = await open()
      const agent = agentRow({
        ownsWorktree: false,
        adopted: true,
        outcome: { success: false, error: 'no', partial: 'half' },
        exitCode: 0,
        parentId: newAgentId(),
      })
      await own.store.agents.insert(agent)
      expect(await own.store.agents.get(agent.id)).toEqual(agent)
      await own.reopen()
      expect(await own.store.agents.get(agent.id)).toEqual(agent)
      await own.dispose()
    })

    it('knows nothing of an agent that was never inserted', async () => {
      expect(await store().agents.get(newAgentId())).toBeUndefined()
      expect(await store().agents.findByTokenHash('0'.repeat(64))).toBeUndefined()
    })

    it('refuses a second agent with the same id and keeps the first', async () => {
      const agent = agentRow({ name: 'first' })
      await store().agents.insert(agent)
      await expect(
        store().agents.insert(agentRow({ id: agent.id, name: 'second' })),
      ).rejects.toMatchObject({ code: 'INTERNAL' })
      expect(await store().agents.get(agent.id)).toEqual(agent)
    })

    it('lists those that an address could mean: by branch, by name, by how the id begins', async () => {
      const name = `named-${newAgentId()}`
      const one = agentRow({ name })
      const two = agentRow({ name, branch: asBranchName(`main.${newAgentId()}`) })
      for (const agent of [one, two]) await store().agents.insert(agent)
      const listed = async (address: string) =>
        (await store().agents.list({ address })).map(({ id }) => id)
      expect(await listed(name)).toEqual([one.id, two.id])
      expect(await listed(two.branch)).toEqual([two.id])
      expect(await listed(one.id)).toEqual([one.id])
      expect(await listed(two.id.slice(0, -1).toUpperCase())).toContain(two.id)
      expect(await listed(two.id.slice(1))).toEqual([])
      expect(await listed('%')).toEqual([])
    })

    it('changes exactly the fields of a patch, each kind of them', async () => {
      const agent = agentRow()
      await store().agents.insert(agent)
      const patch = {
        state: 'completed',
        outcome: { success: true, summary: 'done' },
        adopted: true,
        ownsWorktree: false,
        paneId: asPaneId('%7'),
        forkPoint: sha('c'),
        baseBranch: null,
        exitCode: 3,
        endedAt: 2000,
        reapedAt: 3000,
        cleanedAt: 4000,
      } as const
      await store().agents.update(agent.id, patch)
      expect(await store().agents.get(agent.id)).toEqual({ ...agent, ...patch })
      await store().agents.update(agent.id, { outcome: null, paneId: null })
      expect(await store().agents.get(agent.id)).toEqual({
        ...agent,
        ...patch,
        outcome: null,
        paneId: null,
      })
    })

    it('takes an empty patch and one for an unknown agent as nothing to do', async () => {
      const agent = agentRow()
      await store().agents.insert(agent)
      await store().agents.update(agent.id, {})
      await store().agents.update(newAgentId(), { state: 'killed' })
      expect(await store().agents.get(agent.id)).toEqual(agent)
    })

    it('lists oldest first, by the order of insertion where times are equal', async () => {
      const own = await open()
      const [late, early, middle, twin] = [
        agentRow({ spawnedAt: 3 }),
        agentRow({ spawnedAt: 1 }),
        agentRow({ spawnedAt: 2 }),
        agentRow({ spawnedAt: 2 }),
      ]
      for (const agent of [late, early, middle, twin]) await own.store.agents.insert(agent)
      expect(await own.store.agents.list()).toEqual([early, middle, twin, late])
      await own.dispose()
    })

    it('leaves out the ended ones, and those of other parents, where asked', async () => {
      const parentId = newAgentId()
      const states = [
        'spawning',
        'running',
        'idle',
        'waiting',
        'completed',
        'failed',
        'killed',
      ] as const
      for (const state of states) await store().agents.insert(agentRow({ state, parentId }))
      await store().agents.insert(agentRow({ parentId: newAgentId() }))
      const statesOf = async (filter: Parameters<Store['agents']['list']>[0]): Promise<string[]> =>
        (await store().agents.list(filter)).map(({ state }) => state)
      expect(await statesOf({ parentId })).toEqual([...states])
      expect(await statesOf({ parentId, live: true })).toEqual([
        'spawning',
        'running',
        'idle',
        'waiting',
      ])
      const live = await statesOf({ live: true })
      expect(live).not.toContain('killed')
      expect(live.length).toBeGreaterThanOrEqual(5)
    })

    it('finds the agent of a token, and none for an empty one', async () => {
      const agent = agentRow({ tokenHash: 'ab'.repeat(32) })
      await store().agents.insert(agent)
      await store().agents.insert(
        agentRow({ kind: 'root', tokenHash: '', branch: asBranchName('main') }),
      )
      expect(await store().agents.findByTokenHash(agent.tokenHash)).toEqual(agent)
      expect(await store().agents.findByTokenHash('')).toBeUndefined()
    })

    it('removes an agent without a trace', async () => {
      const agent = agentRow()
      await store().agents.insert(agent)
      await store().agents.remove(agent.id)
      expect(await store().agents.get(agent.id)).toBeUndefined()
      expect((await store().agents.list()).map(({ id }) => id)).not.toContain(agent.id)
    })

    it('keeps any text as it is', async () => {
      const task = 'nul \0, escape \u001b[201~, quotes \'"`, emoji 👩‍🚀, \r\n'
      const agent = agentRow({ task })
      await store().agents.insert(agent)
      expect((await store().agents.get(agent.id))?.task).toBe(task)
    })
  })
}
