import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opencode } from '../clis/opencode.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { LIMIT } from '../limits.ts'
import { requireInstalled } from '../real-cli.ts'
import { startWorld, type World } from '../world.ts'

describe.skipIf(!requireInstalled([opencode]))('starts of the real OpenCode', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld([opencode], { tl: 'opencode', dev: 'opencode' })
  }, 120_000)
  afterAll(() => world?.stop())

  it('of several at once in a home where it never ran all come up', async () => {
    const names = ['one', 'two', 'three']
    for (const name of names) world.model.script(name, { say: 'Ready.' })
    const { errors } = await world.tree.call('spawn_workers', {
      specs: names.map((name) => ({ name, prompt: `This is task-of-${name}. play:${name};` })),
    })
    expect(errors).toEqual([])
    for (const name of names) await world.state(name, 'idle', { limit: LIMIT })
    // The next test is about the first.
    for (const agent of names.slice(1)) await world.tree.call('kill', { agent })
  })

  it('with a conversation that is not in its store any more begin a new one, and say so', async () => {
    await world.close('one')
    await world.state('one', 'failed')
    const store = new Database(
      join(world.tree.repository.home, '.local/share/opencode/opencode.db'),
    )
    const { worktree } = await world.tree.agent('one')
    const { changes } = store.prepare('delete from session where directory = ?').run(worktree)
    store.close()
    // A start that did not come up leaves one as well.
    expect(changes).toBeGreaterThanOrEqual(1)
    const asked = world.model.seen.length
    const resumed = await world.tree.command(['resume', 'one'])
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 })
    expect(resumed.stdout + resumed.stderr).toContain('is gone: it begins a new one')
    const again = () =>
      world.model.seen
        .slice(asked)
        .some((turn) => JSON.stringify(turn.conversation.entries).includes('task-of-one'))
    await waitFor('its task to be read again', again, { limit: LIMIT })
  })
})
