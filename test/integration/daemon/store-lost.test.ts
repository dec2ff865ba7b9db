import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * The store is gone, emptied or damaged while agents run: none of them is ended without a word, and
 * there is a way back.
 */

const LOSSES: readonly (readonly [string, (database: string) => void, string])[] = [
  ['removed', (database) => remove(database), 'STORE_LOST'],
  ['removed without its log', (database) => rmSync(database), 'STORE_LOST'],
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
  [
    'cut in its middle',
    (database) => {
      checkpoint(database)
      truncateSync(database, Math.floor(statSync(database).size / 2))
    },
    'STORE_CORRUPT',
  ],
  [
    'overwritten in its middle',
    (database) => {
      checkpoint(database)
      const bytes = readFileSync(database)
      bytes.fill(0x5a, 8192)
      writeFileSync(database, bytes)
    },
    'STORE_CORRUPT',
  ],
  [
    'a folder',
    (database) => {
      remove(database)
      mkdirSync(database)
    },
    'NOT_AVAILABLE',
  ],
]
/** All that was committed into the file itself. */
const checkpoint = (database: string): void => {
  const connection = new Database(database)
  connection.pragma('wal_checkpoint(TRUNCATE)')
  connection.close()
}
const remove = (database: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database}${ending}`, { force: true })
}

let names = 0
/** Another worker, which runs. */
async function grow(tree: Exomonad): Promise<{ name: string; pid: number }> {
  const name = `worker-${(names += 1)}`
  await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
  await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
  return { name, pid: (await tree.agent(name)).pid }
}
const databaseOf = (tree: Exomonad): string => join(tree.state, 'store.db')
const backups = (tree: Exomonad): string[] =>
  (existsSync(join(tree.state, 'backups')) ? readdirSync(join(tree.state, 'backups')) : []).filter(
    (name) => /^store-.*\.db$/.test(name),
  )
/** What the daemon says why it does not start. */
const refusal = async (tree: Exomonad): Promise<{ code: string; error: string }> =>
  (await tree.command(['daemon', 'start', '--json'])).json
/** A copy of the store as it is. */
function copyOf(tree: Exomonad): string {
  const copy = join(tree.repository.folder, `copy-${(names += 1)}.db`)
  checkpoint(databaseOf(tree))
  copyFileSync(databaseOf(tree), copy)
  return copy
}
function replaceBy(tree: Exomonad, copy: string): void {
  remove(databaseOf(tree))
  copyFileSync(copy, databaseOf(tree))
}

/** Whether the newest backup has an agent as it runs. */
function isBackedUp(tree: Exomonad, pid: number): boolean {
  const newest = backups(tree).toSorted().at(-1)
  if (newest === undefined) return false
  // SQLite puts files beside what it opens.
  const copy = join(tree.repository.folder, `copy-${(names += 1)}.db`)
  copyFileSync(join(tree.state, 'backups', newest), copy)
  const database = new Database(copy)
  try {
    return database.prepare('select 1 from agents where pid = ?').get(pid) !== undefined
  } finally {
    database.close()
  }
}

describe('a store that was lost while agents run', () => {
  let tree: Exomonad
  let worker: { name: string; pid: number }
  beforeAll(async () => {
    tree = await startExomonad()
    worker = await grow(tree)
    const another = (before: number) =>
      waitFor('a backup', () => backups(tree).length > before, { limit: 60_000 })
    await another(0)
    if (isBackedUp(tree, worker.pid)) return
    // It was made before the worker was there: the next one comes soon after a start.
    await tree.command(['daemon', 'stop'])
    const before = backups(tree).length
    await tree.command(['daemon', 'start'])
    await another(before)
    expect(isBackedUp(tree, worker.pid)).toBe(true)
  })
  afterAll(() => tree?.stop())

  it.each(LOSSES)(
    '%s: the daemon refuses to start, nothing is ended, and a restore brings all back',
    async (_how, how, code) => {
      const { name, pid } = worker
      await tree.crash()
      how(databaseOf(tree))
      const start = await refusal(tree)
      expect(start).toMatchObject({ code })
      if (code === 'STORE_LOST')
        expect(start.error).toMatch(/Nothing was touched[^]*exomonad store restore[^]*down --force/)
      expect(isAlive(pid)).toBe(true)
      const finding = (await tree.command(['doctor', '--json'])).json.findings.find(
        ({ subject }: any) => subject === 'store',
      )
      expect(finding).toMatchObject({
        status: 'problem',
        fix: expect.stringContaining('store restore'),
      })
      const restored = await tree.command(['store', 'restore', '--json'])
      expect(restored.code, restored.stderr).toBe(0)
      expect(await tree.agent(name)).toMatchObject({ pid })
    },
  )

  it('goes on after that as before; the backups are listed, and for their owner alone', async () => {
    const { name } = worker
    await tree.call('send', { to: name, message: 'still there?' })
    await tree.logged(
      name,
      'the message',
      (entry) => entry['kind'] === 'message' && String(entry['text']).includes('still there?'),
    )
    expect((await tree.command(['store', 'restore'])).stderr).toContain('The daemon runs')
    // The daemon may make one meanwhile, and takes the oldest away after that.
    await waitFor('a list of all of them, five at most', async () => {
      const { json: listed } = await tree.command(['store', 'list', '--json'])
      const files: string[] = listed.backups.map(({ file }: any) => basename(file))
      return files.length <= 5 && files.join() === backups(tree).toSorted().toReversed().join()
    })
    for (const path of ['', ...backups(tree)]) {
      const found = statSync(join(tree.state, 'backups', path), { throwIfNoEntry: false })
      if (found !== undefined) expect(found.mode & 0o077).toBe(0)
    }
  })

  it.each(
    LOSSES.filter(([how]) => ['removed', 'overwritten in its middle', 'a folder'].includes(how)),
  )(
    '%s: `down --force` ends the terminals, keeps the work, and the next start begins anew',
    async (_how, how) => {
      const { name, pid } = await grow(tree)
      await tree.crash()
      how(databaseOf(tree))
      const down = await tree.command(['down', '--force', '--json'])
      expect(down.json, down.stderr).toMatchObject({ forced: true })
      await waitFor('the agent to end', () => !isAlive(pid))
      expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', name))).toBe(true)
      expect((await tree.command(['daemon', 'start'])).code).toBe(0)
      expect((await tree.tree()).root.children).toEqual([])
    },
  )

  it('and another put in its place: an older one, or that of another repository', async () => {
    const older = await grow(tree)
    await tree.crash()
    const copy = copyOf(tree)
    await tree.command(['daemon', 'start'])
    const newer = await grow(tree)
    const other = await startExomonad()
    onTestFinished(() => other.stop())
    const foreign = await grow(other)
    await other.crash()

    await tree.crash()
    replaceBy(tree, copyOf(other))
    expect(await refusal(tree)).toMatchObject({
      code: 'STORE_LOST',
      error: expect.stringContaining('of another repository'),
      repository: other.repository.path,
    })
    replaceBy(tree, copy)
    const refused = await refusal(tree)
    expect(refused).toMatchObject({
      code: 'STORE_LOST',
      error: expect.stringMatching(new RegExp(`terminals that run: [^\n]*${newer.name} `)),
    })
    expect(refused.error).not.toContain(`${older.name} `)
    for (const { pid } of [older, newer, foreign]) expect(isAlive(pid)).toBe(true)

    // Chosen by a person it is gone on with: what it knows is taken up, and what it doesn’t is left
    // alone, also by later starts.
    const restored = await tree.command(['store', 'restore', copy, '--json'])
    expect(restored.code, restored.stderr).toBe(0)
    await tree.crash()
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
    expect(await tree.agent(older.name)).toMatchObject({ pid: older.pid })
    expect(isAlive(newer.pid)).toBe(true)
    // What can’t be restored takes nothing’s place.
    await tree.crash()
    const bad = await tree.command([
      'store',
      'restore',
      join(tree.repository.path, '.git', 'HEAD'),
      '--json',
    ])
    expect(bad.json).toMatchObject({ code: 'INVALID_ARG' })
    // And the way out of a store that does not know what runs ends all of it.
    rmSync(join(tree.state, 'accepted.json'))
    expect(await refusal(tree)).toMatchObject({ code: 'STORE_LOST' })
    expect((await tree.command(['down', '--force', '--json'])).json).toMatchObject({ forced: true })
    await waitFor('all to end', () => !isAlive(older.pid) && !isAlive(newer.pid))
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
  })

  it('with all agents stopped: their worktrees are work that nobody would know of any more', async () => {
    const { name } = await grow(tree)
    await tree.command(['down'])
    remove(databaseOf(tree))
    expect(await refusal(tree)).toMatchObject({
      code: 'STORE_LOST',
      error: expect.stringMatching(new RegExp(`worktrees: [^\n]*${name}`)),
    })
    expect((await tree.command(['down', '--force'])).code).toBe(0)
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
    expect(existsSync(join(tree.repository.path, '.exomonad', 'worktrees', name))).toBe(true)
  })

  it('is only what no set-up explains: after `deinit` and `init` the daemon starts', async () => {
    expect((await tree.command(['down'])).code).toBe(0)
    expect((await tree.command(['deinit', '--force'])).code).toBe(0)
    expect((await tree.command(['init'])).code).toBe(0)
  })
})
