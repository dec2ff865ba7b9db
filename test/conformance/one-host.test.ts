import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { createDetached } from '../../src/adapters/terminals/detached/detached.ts'
import { newAgentId } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { isAlive } from '../helpers/processes.ts'
import { programs } from '../helpers/programs.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { scrubbedEnvironment } from './multiplexer/create.ts'

it('terminals and tasks have one host: a task that is started while one is open gets nothing of it, and each ends in its own way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'o-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const common = { cwd: folder, env: {}, columns: 80, rows: 24 }
  const holder = createDetached({
    stateDir: folder,
    environment: scrubbedEnvironment(folder),
    node: process.execPath,
    programs,
    log: silentLog(),
  })
  try {
    await holder.start()
    const deaths: string[] = []
    holder.onDeath(({ paneId }) => deaths.push(paneId))
    const says = (signal: string) => [
      '/bin/sh',
      '-c',
      `trap 'echo got ${signal} > ${signal}; exit 3' ${signal}; echo ready; while :; do sleep 0.02; done`,
    ]
    const terminal = await holder.open({
      ...common,
      agentId: newAgentId(),
      name: 'terminal',
      argv: says('HUP'),
    })
    const task = await holder.open({
      ...common,
      agentId: newAgentId(),
      name: 'task',
      program: { kind: 'process' },
      argv: says('TERM'),
    })
    expect((await holder.list()).map(({ paneId, name }) => [paneId, name])).toEqual([
      [terminal.paneId, 'terminal'],
      [task.paneId, 'task'],
    ])
    for (const { paneId } of [terminal, task]) {
      await waitFor('it to be ready', async () => (await holder.capture(paneId)).includes('ready'))
      expect(holder.attachCommand(paneId)).toBeDefined()
    }
    if (process.platform === 'linux') {
      const open = readdirSync(`/proc/${String(task.pid)}/fd`).map((fd) =>
        readlinkSync(`/proc/${String(task.pid)}/fd/${fd}`),
      )
      expect(open.filter((file) => file.startsWith('/dev/'))).toEqual([])
    }
    const missing = await holder.open({
      ...common,
      agentId: newAgentId(),
      name: 'missing',
      program: { kind: 'process' },
      argv: ['no-such-program'],
    })
    await waitFor('its end', async () => (await holder.inspect(missing.paneId))?.exitCode === 127)
    expect(await holder.capture(missing.paneId)).toContain('could not be started')
    for (const { paneId } of [terminal, task]) await holder.close(paneId)
    await waitFor('all deaths', () => deaths.length === 3)
    expect(['HUP', 'TERM'].map((signal) => readFileSync(join(folder, signal), 'utf8'))).toEqual([
      'got HUP\n',
      'got TERM\n',
    ])
  } finally {
    await holder.shutdown()
    await holder.dispose()
  }
})

it.each(['terminal', 'process'] as const)(
  'a program that a killed host was about to end does not stay (%s)',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'o-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const holder = createDetached({
      stateDir: folder,
      environment: scrubbedEnvironment(folder),
      node: process.execPath,
      programs,
      log: silentLog(),
    })
    try {
      const agentId = newAgentId()
      const argv = [
        '/bin/sh',
        '-c',
        'trap "echo $0 > asked" HUP TERM; echo ready; while :; do sleep 0.02; done',
      ]
      const common = {
        agentId,
        name: 'stubborn',
        cwd: folder,
        env: { EXOMONAD_AGENT_ID: agentId },
        argv,
        columns: 80,
        rows: 24,
      }
      const { paneId, pid } = await holder.open(
        kind === 'terminal' ? common : { ...common, program: { kind } },
      )
      await waitFor('it to be ready', async () => (await holder.capture(paneId)).includes('ready'))
      const { pid: host } = JSON.parse(
        readFileSync(join(folder, 'detached-host.json'), 'utf8'),
      ) as { pid: number }
      const closed = holder.close(paneId)
      await waitFor('it to be asked', () => existsSync(join(folder, 'asked')))
      process.kill(host, 'SIGKILL')
      await closed
      expect(isAlive(pid)).toBe(false)
      expect(await holder.list()).toEqual([])
    } finally {
      await holder.shutdown()
      await holder.dispose()
    }
  },
)
