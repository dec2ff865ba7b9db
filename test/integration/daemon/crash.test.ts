import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { crashAt, openJournal, startAgain } from '../../helpers/crash-at.ts'
import { useCrashingTree } from '../../helpers/crashing-tree.ts'
import { verifies } from '../../requirements.ts'

describe('kill -9 of the daemon in the middle of a spawn', () => {
  const world = useCrashingTree()

  it.each(['reserved', 'worktree', 'furnish', 'pane', 'live'])(
    'at “%s” leaves all of it or nothing',
    async (step) => {
      const name = `half-${step}`
      world.tree.script(name, { steps: [{ do: 'print', text: 'working' }] })
      const { dead } = await crashAt(world.tree, 'spawn', step)
      const call = world.cut('spawn_workers', { specs: [{ name, prompt: 'Do it' }] })
      await dead
      expect(await call).toBe(false)

      await startAgain(world.tree)
      const agent = await world.tree.agent(name)
      const branch =
        (await world.tree.repository.git('branch', '--list', `main.${name}`)).trim() !== ''
      const worktree = existsSync(join(world.tree.repository.path, '.exomonad', 'worktrees', name))
      const registered = (await world.tree.repository.git('worktree', 'list')).includes(
        `worktrees/${name}`,
      )
      if (step === 'live') {
        // The agent had started: it lives on.
        expect(agent?.state).toMatch(/running|idle/)
        expect([branch, worktree, registered]).toEqual([true, true, true])
      } else {
        expect(agent).toBeUndefined()
        expect([branch, worktree, registered]).toEqual([false, false, false])
      }
      expect(openJournal(world.tree)).toBe(0)
      // And the name is free again, or taken by the one that lives.
      const again = await world.tree.call('spawn_workers', { specs: [{ name, prompt: 'Do it' }] })
      expect(again.spawned).toHaveLength(step === 'live' ? 0 : 1)
      await world.tree.call('kill', { agent: name })
    },
  )
})

describe('kill -9 of the daemon in the middle of a merge', () => {
  const world = useCrashingTree()

  it.each(['intent', 'retarget', 'merge', 'record', 'sync'])(
    `${verifies('R004-10', 'at “%s” leaves it merged or as it was')}`,
    async (step) => {
      const name = `part-${step}`
      const [number = 0] = await world.filed(name)
      const before = await world.tree.repository.git('rev-parse', 'main')

      const { dead } = await crashAt(world.tree, 'merge', step)
      const call = world.cut('merge_pr', { pr_number: number })
      await dead
      expect(await call).toBe(false)

      await startAgain(world.tree)
      expect(openJournal(world.tree)).toBe(0)
      const pull = (await world.tree.call('pr_list', { state: 'all' })).pull_requests.find(
        (one: any) => one.number === number,
      )
      if (step === 'record' || step === 'sync') {
        expect(pull.state).toBe('merged')
        expect(existsSync(join(world.tree.repository.path, `${name}.txt`))).toBe(true)
      } else {
        expect(pull.state).toBe('open')
        expect(await world.tree.repository.git('rev-parse', 'main')).toBe(before)
        const merged = await world.tree.call('merge_pr', { pr_number: number })
        expect(merged).toMatchObject({ merged: true, local_synced: true })
      }
      // Once, not twice.
      expect(await world.added(name)).toBe(1)
      expect(await world.merges(number)).toBe(1)
      await world.tree.call('kill', { agent: name })
    },
  )
})
