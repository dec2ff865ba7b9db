import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { crashAt, openJournal } from '../helpers/crash-at.ts'
import { startExomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'

describe('kill -9 of the daemon in the middle of a spawn', () => {
  it.each(['reserved', 'worktree', 'furnish', 'pane', 'live'])('at “%s” leaves all of it or nothing', async (step) => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    tree.script('half', { steps: [{ do: 'print', text: 'working' }] })
    const { dead } = await crashAt(tree, 'spawn', step)
    const call = tree.run(['call', 'spawn_workers', '-'], { input: JSON.stringify({ specs: [{ name: 'half', prompt: 'Do it' }] }) })
    await dead
    expect((await call).code).not.toBe(0)

    await tree.run(['daemon', 'start'])
    const agent = await tree.agent('half')
    const branch = (await tree.repository.git('branch', '--list', 'main.half')).trim() !== ''
    const worktree = existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'half'))
    const registered = (await tree.repository.git('worktree', 'list')).includes('worktrees/half')
    if (step === 'live') {
      // The agent had started: it lives on.
      expect(agent?.state).toMatch(/running|idle/)
      expect([branch, worktree, registered]).toEqual([true, true, true])
    } else {
      expect(agent).toBeUndefined()
      expect([branch, worktree, registered]).toEqual([false, false, false])
    }
    expect(openJournal(tree)).toBe(0)
    // And the name is free again, or taken by the one that lives.
    const again = await tree.call('spawn_workers', { specs: [{ name: 'half', prompt: 'Do it' }] })
    expect(again.spawned).toHaveLength(step === 'live' ? 0 : 1)
  })
})

describe('kill -9 of the daemon in the middle of a merge', () => {
  it.each(['intent', 'retarget', 'merge', 'record', 'sync'])(`${verifies('R004-10', 'at “%s” leaves it merged or as it was')}`, async (step) => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    tree.script('part', {
      steps: [
        { do: 'write', path: 'part.txt', content: 'part\n' },
        { do: 'commit', message: 'Add a part' },
        { do: 'tool', name: 'file_pr', input: { title: 'Add a part', body: 'As asked.' } },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'part', prompt: 'Do it' }] })
    await waitFor('the pull request', async () => (await tree.call('pr_list')).pull_requests.length === 1)
    const before = await tree.repository.git('rev-parse', 'main')

    const { dead } = await crashAt(tree, 'merge', step)
    const call = tree.run(['call', 'merge_pr', '-'], { input: JSON.stringify({ pr_number: 1 }) })
    await dead
    expect((await call).code).not.toBe(0)

    await tree.run(['daemon', 'start'])
    expect(openJournal(tree)).toBe(0)
    const [pull] = (await tree.call('pr_list', { state: 'all' })).pull_requests
    if (step === 'record' || step === 'sync') {
      expect(pull.state).toBe('merged')
      expect(existsSync(join(tree.repository.path, 'part.txt'))).toBe(true)
    } else {
      expect(pull.state).toBe('open')
      expect(await tree.repository.git('rev-parse', 'main')).toBe(before)
      const merged = await tree.call('merge_pr', { pr_number: 1 })
      expect(merged).toMatchObject({ merged: true, local_synced: true })
    }
    // Once, not twice.
    expect((await tree.repository.git('log', '--format=%s', 'main')).split('\n').filter((line) => line.startsWith('Add a part'))).toHaveLength(1)
    expect((await tree.events()).filter((event) => event.type === 'pr.merged')).toHaveLength(1)
  })
})
