import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal } from '../helpers/crash-at.ts'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'

/** One tree for all steps of an operation: whatever a crash leaves behind meets those that follow. */
let tree: Exomonad
const withTree = (options?: () => ExomonadOptions): void => {
  beforeAll(async () => {
    tree = await startExomonad(options?.())
  })
  afterAll(() => tree.stop())
}

/** Workers that add a file each and file it; resolves once all are green, with their pull requests' numbers. */
async function filed(...names: string[]): Promise<number[]> {
  for (const name of names) {
    tree.script(name, {
      steps: [
        { do: 'write', path: `${name}.txt`, content: `${name}\n` },
        { do: 'commit', message: `Add ${name}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
      ],
    })
  }
  await tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'Do it' })) })
  const pulls = async () => (await tree.call('pr_list')).pull_requests.filter((pull: any) => names.includes(pull.agent) && pull.checks !== 'pending')
  const green = await waitFor('all to be green', async () => (await pulls()).length === names.length && (await pulls()), { limit: 60_000 })
  return names.map((name) => green.find((pull: any) => pull.agent === name).number)
}
/** A call by the command line, which the daemon's end cuts off. */
const cut = (tool: string, input: unknown) => tree.run(['call', tool, '-'], { input: JSON.stringify(input) })
const added = async (name: string): Promise<number> =>
  (await tree.repository.git('log', '--format=%s', 'main')).split('\n').filter((line) => line.startsWith(`Add ${name}`)).length
const merges = async (number: number): Promise<number> =>
  (await tree.events()).filter((event) => event.type === 'pr.merged' && event.payload.number === number).length

describe('kill -9 of the daemon in the middle of a spawn', () => {
  withTree()

  it.each(['reserved', 'worktree', 'furnish', 'pane', 'live'])('at “%s” leaves all of it or nothing', async (step) => {
    const name = `half-${step}`
    tree.script(name, { steps: [{ do: 'print', text: 'working' }] })
    const { dead } = await crashAt(tree, 'spawn', step)
    const call = cut('spawn_workers', { specs: [{ name, prompt: 'Do it' }] })
    await dead
    expect((await call).code).not.toBe(0)

    await tree.run(['daemon', 'start'])
    const agent = await tree.agent(name)
    const branch = (await tree.repository.git('branch', '--list', `main.${name}`)).trim() !== ''
    const worktree = existsSync(join(tree.repository.path, '.exomonad', 'worktrees', name))
    const registered = (await tree.repository.git('worktree', 'list')).includes(`worktrees/${name}`)
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
    const again = await tree.call('spawn_workers', { specs: [{ name, prompt: 'Do it' }] })
    expect(again.spawned).toHaveLength(step === 'live' ? 0 : 1)
    await tree.call('kill', { agent: name })
  })
})

describe('kill -9 of the daemon in the middle of a merge', () => {
  withTree()

  it.each(['intent', 'retarget', 'merge', 'record', 'sync'])(`${verifies('R004-10', 'at “%s” leaves it merged or as it was')}`, async (step) => {
    const name = `part-${step}`
    const [number = 0] = await filed(name)
    const before = await tree.repository.git('rev-parse', 'main')

    const { dead } = await crashAt(tree, 'merge', step)
    const call = cut('merge_pr', { pr_number: number })
    await dead
    expect((await call).code).not.toBe(0)

    await tree.run(['daemon', 'start'])
    expect(openJournal(tree)).toBe(0)
    const pull = (await tree.call('pr_list', { state: 'all' })).pull_requests.find((one: any) => one.number === number)
    if (step === 'record' || step === 'sync') {
      expect(pull.state).toBe('merged')
      expect(existsSync(join(tree.repository.path, `${name}.txt`))).toBe(true)
    } else {
      expect(pull.state).toBe('open')
      expect(await tree.repository.git('rev-parse', 'main')).toBe(before)
      const merged = await tree.call('merge_pr', { pr_number: number })
      expect(merged).toMatchObject({ merged: true, local_synced: true })
    }
    // Once, not twice.
    expect(await added(name)).toBe(1)
    expect(await merges(number)).toBe(1)
    await tree.call('kill', { agent: name })
  })
})
