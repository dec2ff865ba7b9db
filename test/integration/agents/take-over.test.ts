import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A new agent goes on with what an ended one was at: its branch, its worktree, its pull request. */

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({
    config: '[worktree]\nsetup = [["sh", "-c", "test ! -e refuse.txt"]]\n',
  })
})
afterAll(() => tree?.stop())

const work = (file: string) => [
  { do: 'write', path: file, content: 'work\n' },
  { do: 'commit', message: `Add ${file}` },
]
const spawn = async (name: string, branch?: string) => {
  const specs = [{ name, prompt: 'Go on', ...(branch === undefined ? {} : { branch }) }]
  const { spawned, errors } = await tree.call('spawn', { kind: 'worker', specs })
  return { agent: spawned[0], error: errors[0] }
}
const killProgram = async (name: string): Promise<void> => {
  const pid = await waitFor(`the program of ${name}`, async () => (await tree.agent(name)).pid)
  process.kill(pid, 'SIGKILL')
}
const at = (agent: { worktree: string }, file: string): string => join(agent.worktree, file)

it('with all that it left, committed or not, and what comes of its pull request is the new one’s', async () => {
  tree.script('first', {
    steps: [
      ...work('first.txt'),
      { do: 'tool', name: 'file_pr', input: { title: 'First', body: 'x' } },
    ],
  })
  tree.script('second', { steps: work('second.txt') })
  const { agent: first } = await spawn('first')
  await waitFor('its pull request', async () => (await tree.agent('first')).pr?.number === 1)
  const living = await spawn('second', 'main.first')
  expect(living.error).toMatchObject({
    code: 'BRANCH_EXISTS',
    error: expect.stringContaining('first, which is alive: send it more work, or kill it first'),
  })
  await tree.call('kill', { agent: 'first' })
  writeFileSync(at(first, 'draft.txt'), 'not committed')

  const { agent: second } = await spawn('second', 'main.first')
  expect(second).toMatchObject({ branch: 'main.first', worktree: first.worktree })
  expect(readFileSync(at(second, 'draft.txt'), 'utf8')).toBe('not committed')
  await waitFor('its work', () => existsSync(at(second, 'second.txt')))
  expect(await tree.agent('first')).toBeUndefined()
  await waitFor(
    'the pull request to be its own',
    async () => (await tree.agent('second')).pr?.number === 1,
  )
  expect((await tree.command(['resume', first.agent_id, '--json'])).json).toMatchObject({
    error: expect.stringContaining('second goes on with the work of first, on main.first'),
    code: 'BRANCH_EXISTS',
  })
})

it('while a fork of it lives, nobody does; and who failed does not come back to what another has', async () => {
  tree.script('crashes', { steps: [...work('crashes.txt'), { do: 'exit', code: 3 }] })
  const { agent: crashes } = await spawn('crashes')
  await waitFor('it to fail', async () => (await tree.agent('crashes')).state === 'failed')
  const { agent: heir } = await spawn('heir', 'main.crashes')
  expect(heir.worktree).toBe(crashes.worktree)
  expect((await tree.command(['resume', crashes.agent_id, '--json'])).json).toMatchObject({
    code: 'BRANCH_EXISTS',
    error: expect.stringContaining('heir goes on with the work of crashes'),
  })

  await tree.call('fork', { name: 'beside', prompt: 'Stay' }, { as: 'heir' })
  await waitFor('the fork to run', async () => (await tree.agent('beside'))?.state === 'idle')
  await killProgram('heir')
  await waitFor('it to fail', async () => (await tree.agent('heir')).state === 'failed')
  expect((await spawn('third', 'main.crashes')).error).toMatchObject({
    code: 'BRANCH_EXISTS',
    error: expect.stringContaining('beside still works in its worktree: kill that first'),
  })
  await killProgram('beside')
  await waitFor('it to fail too', async () => (await tree.agent('beside')).state === 'failed')
  expect((await spawn('third', 'main.crashes')).agent).toMatchObject({ branch: 'main.crashes' })
  expect((await tree.run(['resume', 'beside', '--json'])).json).toMatchObject({
    code: 'BRANCH_EXISTS',
    error: expect.stringContaining('third goes on with the work of heir, on main.crashes'),
  })
})

it('a spawn that comes to nothing gives it back; a merged one is cleaned as if there had been one agent', async () => {
  tree.script('author', { steps: work('author.txt') })
  const { agent: author } = await spawn('author')
  await waitFor('its work', async () =>
    (await tree.repository.gitIn(author.worktree, 'log', '--oneline')).includes('author.txt'),
  )
  await tree.call('kill', { agent: 'author' })
  writeFileSync(at(author, 'refuse.txt'), '')
  expect((await spawn('next', 'main.author')).error).toMatchObject({ code: 'SPAWN_FAILED' })
  expect(await tree.agent('author')).toMatchObject({ state: 'killed' })
  rmSync(at(author, 'refuse.txt'))
  expect((await spawn('next', 'main.author')).agent).toMatchObject({ worktree: author.worktree })

  await tree.repository.git('merge', '-q', '--no-edit', 'main.author')
  await tree.call('kill', { agent: 'next' })
  await tree.command(['clean', 'next'])
  await waitFor('its worktree to go', () => !existsSync(author.worktree))
  expect(await tree.repository.git('branch', '--list', 'main.author')).toBe('')
})
