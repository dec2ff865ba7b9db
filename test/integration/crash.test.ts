import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

describe('kill -9 of the daemon in the middle of a landing', () => {
  it.each(['queued', 'built', 'checking', 'the run', 'checked', 'merge', 'record', 'sync'])(
    `${verifies('R004-10', 'at “%s” it lands once, by itself, after the next start')}`,
    async (step) => {
      const runs = mkdtempSync(join(tmpdir(), 't-runs-'))
      onTestFinished(() => rmSync(runs, { recursive: true }))
      const count = () => readFileSync(join(runs, 'runs'), 'utf8').split('\n').length - 1
      // The result of both takes its time, so that “checking” is in the middle of a run.
      const check = `echo run >> ${runs}/runs; if test -e one.txt && test -e two.txt; then sleep 0.5; fi`
      const tree = await startExomonad({ config: `[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\n` })
      onTestFinished(() => tree.stop())
      for (const name of ['one', 'two']) {
        tree.script(name, {
          steps: [
            { do: 'write', path: `${name}.txt`, content: `${name}\n` },
            { do: 'commit', message: `Add ${name}` },
            { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
          ],
        })
      }
      await tree.call('spawn_workers', { specs: ['one', 'two'].map((name) => ({ name, prompt: 'Do it' })) })
      await waitFor('both to be green', async () => (await tree.call('pr_list')).pull_requests.filter((pull: any) => pull.checks === 'passed').length === 2, {
        limit: 60_000,
      })
      expect(await tree.call('merge_pr', { pr_number: 1 })).toMatchObject({ merged: true })

      const merge = () => tree.run(['call', 'merge_pr', '-'], { input: JSON.stringify({ pr_number: 2 }) })
      if (step === 'the run') {
        await merge()
        await waitFor('the run of the result', () => count() === 3)
        await tree.crash()
      } else {
        const { dead } = await crashAt(tree, 'merge', step)
        await merge()
        await dead
      }

      await tree.run(['daemon', 'start'])
      await waitFor('it to have landed', async () => (await tree.call('pr_list', { state: 'merged' })).pull_requests.length === 2, { limit: 60_000 })
      await waitFor('the journal to be closed', () => openJournal(tree) === 0)
      for (const name of ['one', 'two']) expect(existsSync(join(tree.repository.path, `${name}.txt`))).toBe(true)
      const subjects = (await tree.repository.git('log', '--format=%s', 'main')).split('\n')
      expect(subjects.filter((line) => line.startsWith('Add two'))).toHaveLength(1)
      await waitFor('the merge to be told', async () => (await tree.events()).filter((event) => event.type === 'pr.merged').length === 2)
      await waitFor('the asker to be told', async () => JSON.stringify(await tree.call('inbox')).includes('[LANDED]'))
      // What was found good before the end is not checked again.
      expect(count()).toBe(step === 'the run' ? 4 : 3)
    },
  )
})
