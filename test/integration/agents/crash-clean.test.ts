import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { crashAt, openJournal, startAgain } from '../../helpers/crash-at.ts'
import { startExomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { useCrashingTree } from '../../helpers/crashing-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const CASES = [
  ['before-anything', 'programs'],
  ['before-it-goes', 'worktrees'],
  ['half-away', 'worktrees'],
  ['branch-left', 'branches'],
  ['record-left', 'record'],
] as const

describe('kill -9 of the daemon in the middle of a clean', () => {
  const world = useCrashingTree()

  const working = 'working'
  /** Those that have ended and left nothing, and one whose commit is nowhere else. */
  beforeAll(async () => {
    const { tree } = world
    const names = [...CASES.map(([name]) => name), working]
    const work = [
      { do: 'write', path: 'work.txt', content: 'work' },
      { do: 'commit', message: 'Work' },
    ]
    for (const name of names)
      tree.script(name, { steps: [...(name === working ? work : []), { do: 'exit', code: 3 }] })
    await tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'x' })) })
    for (const name of names)
      await waitFor(`${name} to end`, async () => (await tree.agent(name))?.state === 'failed', {
        limit: 60_000,
      })
  })
  const place = (name: string): string =>
    join(world.tree.repository.path, '.exomonad', 'worktrees', name)
  const removals = async (name: string): Promise<number> =>
    (await world.tree.events()).filter(
      ({ type, payload }) => type === 'agent.removed' && payload.name === name,
    ).length

  it.each(CASES)(
    '%s: it is finished by the next start, and takes nothing with it that is nowhere else',
    async (empty, step) => {
      const { tree } = world
      const tip = await tree.repository.git('rev-parse', `main.${working}`)
      const { dead } = await crashAt(tree, 'clean', step)
      const call = world.cut('clean', { agents: [empty, working] })
      await dead
      expect(await call).toBe(false)
      // Its files as a clean moves them, without git’s record of it.
      if (empty === 'half-away')
        renameSync(place(empty), join(tree.state, 'trash', `${empty}-00000000`))

      await startAgain(tree)
      expect(await tree.agent(empty)).toBeUndefined()
      expect(existsSync(place(empty))).toBe(false)
      const { git } = tree.repository
      expect(await git('worktree', 'list', '--porcelain')).not.toContain(place(empty))
      expect(await git('for-each-ref', '--format=%(refname)')).not.toContain(empty)
      // Once, not twice.
      expect(await removals(empty)).toBe(1)
      expect(openJournal(tree)).toBe(0)
      await waitFor(
        'the trash to be empty',
        () => readdirSync(join(tree.state, 'trash')).length === 0,
      )

      expect(await git('rev-parse', `main.${working}`)).toBe(tip)
      expect(existsSync(join(place(working), 'work.txt'))).toBe(true)
      expect((await tree.agent(working)).state).toBe('failed')
      expect(await removals(working)).toBe(0)
    },
  )
})

it('kill -9 of the daemon in the middle of a kill: what was to be ended is ended by the next start', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('runs', { steps: [{ do: 'print', text: 'working' }] })
  await tree.call('spawn_workers', { specs: [{ name: 'runs', prompt: 'x' }] })
  const pid = await waitFor('it to run', async () => (await tree.agent('runs')).pid)
  expect(isAlive(pid)).toBe(true)
  await tree.crash()
  // As it stands between the record and the end of the program.
  const database = new Database(join(tree.state, 'store.db'))
  database.prepare("update agents set state = 'killed' where name = 'runs'").run()
  database.close()
  expect((await tree.command(['daemon', 'start'])).code).toBe(0)
  await waitFor('its program to end', () => !isAlive(pid))
  expect((await tree.agent('runs')).state).toBe('killed')
})
