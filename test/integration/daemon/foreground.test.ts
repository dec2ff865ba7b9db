import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('`daemon run` serves in this terminal until it is told to end, and says why where it can’t', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  await tree.command(['down'])
  const child = spawn(process.execPath, [BIN, 'daemon', 'run'], {
    ...{ cwd: tree.repository.path, env: tree.repository.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor('it to be ready', () => said.includes('ready'))
  expect(await tree.daemonPid()).toBe(child.pid)

  const second = await tree.run(['daemon', 'run', '--json'])
  expect([second.code, second.json]).toEqual([
    1,
    expect.objectContaining({ code: 'ALREADY_RUNNING' }),
  ])
  const inWords = await tree.run(['daemon', 'run'])
  expect([inWords.code, inWords.stderr]).toEqual([
    1,
    expect.stringMatching(/^✗ .*\(ALREADY_RUNNING\)\n$/s),
  ])

  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

it('what keeps a daemon in the background from starting is what `daemon start` says', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  await tree.command(['down'])
  writeFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), 'no = [toml')
  const { code, json } = await tree.run(['daemon', 'start', '--json'])
  expect([code, json]).toEqual([1, expect.objectContaining({ code: 'CONFIG_INVALID' })])
})

it('and so is a file of this machine that it can’t have', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  await tree.command(['down'])
  // A folder in the place of its log: nobody may write that, not even root.
  const log = join(tree.state, 'logs', 'daemon.log')
  rmSync(log, { force: true })
  mkdirSync(log)
  const { code, json } = await tree.run(['daemon', 'start', '--json'])
  rmSync(log, { recursive: true })
  expect([code, json]).toEqual([
    1,
    expect.objectContaining({
      code: 'NOT_AVAILABLE',
      error: expect.stringContaining(`${log} can’t be used: it is a folder`),
    }),
  ])
})
