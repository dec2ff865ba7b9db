import { existsSync } from 'node:fs'
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

it('a configuration that git clean took is said to be missing, and init writes the initial one', async () => {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  expect((await tree.run(['init'])).code).toBe(0)
  await tree.repository.git('clean', '-fdxq')
  expect((await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })).errors[0]).toMatchObject({ code: 'AGENT_CLI_MISSING' })
  expect((await tree.run(['doctor'])).stdout).toMatch(/configuration +.*not there/)
  expect(await tree.run(['init'])).toMatchObject({ code: 0, stdout: expect.stringContaining('its configuration was gone, and the initial one is back') })
  expect((await tree.run(['init'])).stdout).toContain('nothing was changed')
  expect(existsSync(join(tree.repository.path, '.exomonad', 'config.toml'))).toBe(true)
})
