import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import { runLogged } from '../../../../src/adapters/machine/workplace/run-setup.ts'
import { isAlive } from '../../../helpers/processes.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { tempFolder } from './temp-folder.ts'

/** Answers once it is asked. */
const SERVICE = '(until [ -e asked ]; do sleep 0.05; done; echo > answered)'

/** A command that leaves something running; returns how it ended, and the number of that. */
async function leaving(end: string, timeoutMs = 60_000) {
  const cwd = tempFolder()
  const argv = ['sh', '-c', `${SERVICE} & echo $! > left; ${end}`]
  const env = { PATH: process.env['PATH'] ?? '' }
  const result = await runLogged(argv, { cwd, env, timeoutMs, log: join(cwd, 'log') })
  const left = Number(readFileSync(join(cwd, 'left'), 'utf8'))
  onTestFinished(() => void sendSignal(left, 'SIGKILL'))
  return { cwd, result, left }
}

it('a set-up command that fails takes with it what it started', async () => {
  const { result, left } = await leaving('exit 1')
  expect(result).toMatchObject({ ok: false, output: expect.stringContaining('exit 1') })
  await waitFor('the end of what it left', () => !isAlive(left), { limit: 15_000 })
})

it.each([
  ['takes too long', 'wait'],
  [
    'takes too long and does not mind being asked to end',
    "trap '' TERM; while :; do sleep 0.1; done",
  ],
])('one that %s takes with it what it started', async (_, end) => {
  const { result, left } = await leaving(end, 5000)
  expect(result).toMatchObject({
    ok: false,
    output: expect.stringContaining('timed out after 5 s'),
  })
  await waitFor('the end of what it left', () => !isAlive(left), { limit: 15_000 })
})

it('one whose agent is ended takes with it what it started', async () => {
  const cwd = tempFolder()
  const over = new AbortController()
  const running = runLogged(['sh', '-c', `${SERVICE} & echo $! > left; wait`], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 60_000,
    log: join(cwd, 'log'),
    signal: over.signal,
  })
  const left = await waitFor('its service', () => {
    const text = existsSync(join(cwd, 'left')) ? readFileSync(join(cwd, 'left'), 'utf8') : ''
    return text.endsWith('\n') ? Number(text) : undefined
  })
  onTestFinished(() => void sendSignal(left, 'SIGKILL'))
  over.abort()
  expect(await running).toMatchObject({
    ok: false,
    output: expect.stringContaining('ended, as its agent was'),
  })
  await waitFor('the end of what it left', () => !isAlive(left), { limit: 15_000 })
})

it('one that succeeds may leave a service', async () => {
  const { cwd, result } = await leaving('exit 0')
  expect(result).toEqual({ ok: true })
  writeFileSync(join(cwd, 'asked'), '')
  await waitFor('its answer', () => existsSync(join(cwd, 'answered')), { limit: 15_000 })
})
