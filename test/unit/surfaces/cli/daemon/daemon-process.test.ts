import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { isRunning } from '../../../../../src/processes/processes.ts'
import { sendSignal } from '../../../../../packages/subagents/src/processes/signal.ts'
import { stopDaemon } from '../../../../../src/surfaces/cli/daemon/daemon-process.ts'
import { askHealth } from '../../../../../src/surfaces/cli/daemon/health.ts'

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'h-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'daemon.sock')
}

/** A socket that answers as a daemon does. */
async function listening(answer: () => { status: number; body?: object }): Promise<string> {
  const path = socketPath()
  const server = createServer((_request, response) => {
    const { status, body = {} } = answer()
    response.writeHead(status).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return path
}

const host = { signal: sendSignal, isRunning }

/** Of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid

it('a daemon that ends between its answer and the signal has stopped', async () => {
  const pid = deadPid()
  expect(await stopDaemon(host, await listening(() => ({ status: 200, body: { pid } })))).toEqual({
    pid,
  })
})

it('a daemon that is just beginning is waited for before it is stopped', async () => {
  const pid = deadPid()
  let asked = 0
  expect(
    await stopDaemon(
      host,
      await listening(() => (++asked < 3 ? { status: 503 } : { status: 200, body: { pid } })),
    ),
  ).toEqual({ pid })
  expect(asked).toBe(3)
})

it('nobody there is another matter than nobody who answers', async () => {
  const nowhere = socketPath()
  expect(await askHealth(nowhere)).toBe('absent')
  expect(await stopDaemon(host, nowhere)).toBeNull()
  expect(await askHealth(await listening(() => ({ status: 503 })))).toBe('silent')
})
