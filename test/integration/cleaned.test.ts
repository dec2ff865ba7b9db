import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'

it('an agent that was cleaned away is neither counted nor brought back, and what happened to it still has its name', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('short', { steps: [{ do: 'exit', code: 3 }] })
  await tree.call('spawn_workers', { specs: [{ name: 'short', prompt: 'x' }] })
  await waitFor('its failure', async () => (await tree.agent('short')).state === 'failed')
  // Said once, not a second time in brackets.
  expect((await tree.run(['inbox'])).stdout).toMatch(/\[CHILD FAILED\] short [^\n]*: its program ended with exit code 3\n/)
  expect((await tree.tree()).counts).toMatchObject({ agents: 1, failed: 1 })

  expect((await tree.run(['clean', '--json'])).json).toMatchObject({ removed: [{ agent: 'short' }] })
  expect((await tree.tree()).counts).toEqual({ agents: 0, live: 0, done: 0, failed: 0 })
  expect(await tree.run(['resume', '--all', '--json'])).toMatchObject({ code: 0, json: { resumed: [], errors: [] } })
  expect((await tree.run(['events'])).stdout).toMatch(/short +− branch main\.short and worktree removed/)
  expect((await tree.run(['down'])).stdout).toContain('No agent was running')
})

it('a configuration that git clean took goes on being used, and init writes it back', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const before = readFileSync(file, 'utf8')
  tree.script('default', {})
  await tree.repository.git('clean', '-fdxq')
  expect(existsSync(file)).toBe(false)
  expect((await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })).spawned).toHaveLength(1)
  expect((await tree.run(['doctor'])).stdout).toMatch(/configuration +.*not there.*goes on/)
  await tree.run(['daemon', 'stop'])
  await tree.run(['daemon', 'start'])
  expect((await tree.call('spawn_workers', { specs: [{ name: 'v', prompt: 'x' }] })).spawned).toHaveLength(1)
  expect(await tree.run(['init'])).toMatchObject({ code: 0, stdout: expect.stringContaining('its configuration was gone, and is back') })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await tree.run(['init'])).stdout).toContain('nothing was changed')
})
