import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** The store is gone, emptied or damaged while agents run: none of them is ended without a word, and there is a way back. */

const LOSSES: readonly (readonly [string, (database: string) => void, string])[] = [
  ['removed', (database) => remove(database), 'STORE_LOST'],
  [
    'emptied',
    (database) => {
      remove(database)
      writeFileSync(database, '')
    },
    'STORE_LOST',
  ],
  [
    'damaged',
    (database) => {
      remove(database)
      writeFileSync(database, 'no database at all'.repeat(1000))
    },
    'STORE_CORRUPT',
  ],
]
const remove = (database: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database}${ending}`, { force: true })
}

async function grown(): Promise<{ tree: Exomonad; pid: number; database: string; lose(how: (database: string) => void): Promise<void> }> {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  await tree.call('spawn_workers', { specs: [{ name: 'worker', prompt: 'x' }] })
  await tree.logged('worker', 'its start', (entry) => entry['kind'] === 'ready')
  const { pid } = await tree.agent('worker')
  const database = join(tree.state, 'store.db')
  const lose = async (how: (database: string) => void): Promise<void> => {
    await tree.crash()
    how(database)
  }
  return { tree, pid, database, lose }
}
const backups = (tree: Exomonad): string[] =>
  (existsSync(join(tree.state, 'backups')) ? readdirSync(join(tree.state, 'backups')) : []).filter((name) => /^store-.*\.db$/.test(name))

describe('a store that was lost while agents run', () => {
  it.each(LOSSES)('%s: the daemon refuses to start, nothing is ended, and a restore brings all back', async (_how, how, code) => {
    const { tree, pid, lose } = await grown()
    await waitFor('a backup', () => backups(tree).length > 0, { limit: 60_000 })
    await lose(how)

    const start = await tree.run(['daemon', 'start', '--json'])
    expect(start.json).toMatchObject({ code })
    expect(start.json.error).toMatch(
      code === 'STORE_LOST' ? /knows of no agent[^]*terminals that run: .*worker[^]*exomonad store restore[^]*down --force/ : /store/,
    )
    expect(isAlive(pid)).toBe(true)
    const finding = (await tree.run(['doctor', '--json'])).json.findings.find(({ subject }: any) => subject === 'store')
    expect(finding).toMatchObject({ status: 'problem', fix: expect.stringContaining('store restore') })

    const { json: listed } = await tree.run(['store', 'list', '--json'])
    expect(listed.backups).toHaveLength(backups(tree).length)
    const restored = await tree.run(['store', 'restore', '--json'])
    expect(restored.code, restored.stderr).toBe(0)
    expect(restored.json).toMatchObject({ restored: listed.backups[0].file })
    expect(await tree.agent('worker')).toMatchObject({ pid })
    await tree.call('send', { to: 'worker', message: 'still there?' })
    await tree.logged('worker', 'the message', (entry) => entry['kind'] === 'message' && String(entry['text']).includes('still there?'))
    expect((await tree.run(['store', 'restore'])).stderr).toContain('The daemon runs')
  })

  it.each(LOSSES)('%s: `down --force` ends the terminals, keeps the work, and the next start begins anew', async (_how, how) => {
    const { tree, pid, lose } = await grown()
    await lose(how)
    const down = await tree.run(['down', '--force', '--json'])
    expect(down.json, down.stderr).toMatchObject({ forced: true })
    await waitFor('the agent to end', () => !isAlive(pid))
    expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'worker'))).toBe(true)
    expect((await tree.run(['daemon', 'start'])).code).toBe(0)
    expect((await tree.tree()).root.children).toEqual([])
  })

  it('is only what no set-up explains: after `deinit` and `init` the daemon starts', async () => {
    const { tree } = await grown()
    expect((await tree.run(['down'])).code).toBe(0)
    expect((await tree.run(['deinit', '--force'])).code).toBe(0)
    expect((await tree.run(['init'])).code).toBe(0)
  })

  it('has backups for its owner alone, of which five stay', async () => {
    const { tree } = await grown()
    await waitFor('a backup', () => backups(tree).length > 0, { limit: 60_000 })
    expect(statSync(join(tree.state, 'backups')).mode & 0o077).toBe(0)
    expect(statSync(join(tree.state, 'backups', backups(tree)[0] ?? '')).mode & 0o077).toBe(0)
  })
})
