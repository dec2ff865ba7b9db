import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDetached } from '../../src/adapters/terminals/detached/detached.ts'
import { createHostedTerminal } from '../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { DetachedHolder } from '../../src/adapters/terminals/headless.ts'
import { newAgentId, type AgentId, type PaneId } from '../../src/domain/ids.ts'
import { createLog } from '../../src/runtime/log.ts'
import { createHostClient } from '../../src/processes/host/host-client.ts'
import { isAlive } from '../helpers/processes.ts'
import { programs } from '../helpers/programs.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { scrubbedEnvironment } from './multiplexer/create.ts'

/** The first start after an upgrade: programs run in the hosts of the exomonad before. */
describe.each(['terminals', 'runner'] as const)('a host of an earlier version (%s)', (kind) => {
  const fixture = fileURLToPath(new URL('../fixtures/hosts/earlier-host.ts', import.meta.url))
  const files = kind === 'runner' ? 'runner' : 'pty-host'
  let folder = ''
  let logged = ''
  let holder: DetachedHolder
  let host = 0

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'e-'))
    logged = ''
    const child = spawn(process.execPath, [fixture, kind, folder, join(folder, `${files}.sock`)], {
      stdio: 'ignore',
      detached: true,
    })
    host = child.pid ?? 0
    await waitFor('the earlier host', () => existsSync(join(folder, `${files}.json`)))
  })
  afterEach(async () => {
    await holder.shutdown()
    await holder.dispose()
    await waitFor('the earlier host to end', () => !isAlive(host))
    rmSync(folder, { recursive: true, force: true })
  })

  /** As the exomonad before opened it. */
  const openedBefore = async (
    argv: string[],
  ): Promise<{ agentId: AgentId; paneId: PaneId; pid: number }> => {
    const client = createHostClient<any>({
      ...{
        names: { files, far: files },
        called: 'host',
        protocol: 1,
        program: '',
        stateDir: folder,
        runtimeDir: folder,
        environment: {},
        node: '',
      },
      ...{ timeout: 10_000, startTimeout: 1000, onChange: () => undefined },
    })
    const agentId = newAgentId()
    const env = { ...scrubbedEnvironment(folder), EXOMONAD_AGENT_ID: agentId }
    const takes = {
      openId: randomUUID(),
      agentId,
      name: 'before',
      cwd: folder,
      env,
      argv,
      columns: 80,
      rows: 24,
      program: { kind: 'process' },
      output: null,
    }
    const answer: any = await client.ask('open', takes as never)
    client.close()
    return { agentId, ...answer.gives }
  }
  const upgrade = async (): Promise<DetachedHolder> => {
    const log = createLog({
      level: 'warn',
      destination: { write: (line: string) => void (logged += line) } as never,
      secrets: () => [],
    })
    holder = createDetached({
      stateDir: folder,
      environment: scrubbedEnvironment(folder),
      node: process.execPath,
      programs,
      log,
      closeGrace: 500,
    })
    await holder.adopt()
    return holder
  }
  const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith(files))

  it('is worked with as ever: messages, ends and looks reach its agents, which are named in the log', async () => {
    const { agentId, paneId, pid } = await openedBefore([
      '/bin/sh',
      '-c',
      'read -r line; echo "got $line"; exec cat',
    ])
    const detached = await upgrade()
    const deaths: unknown[] = []
    detached.onDeath((death) => deaths.push(death))
    expect(await detached.list()).toMatchObject([
      { agentId, paneId, pid, name: 'before', dead: false, pasted: [], entered: [] },
    ])
    expect(await detached.paste(paneId, 'a message', 'key-1')).toEqual({ kind: 'typed' })
    expect(await detached.pressEnter(paneId, 'key-1')).toEqual({ kind: 'typed' })
    await waitFor('the message', async () =>
      (await detached.capture(paneId)).includes('got a message'),
    )
    expect(await detached.inspect(paneId)).toMatchObject({ pasted: ['key-1'], entered: ['key-1'] })
    await detached.rename(paneId, 'renamed')
    expect((await detached.inspect(paneId))?.name).toBe('renamed')

    const person = createHostedTerminal({
      argv: detached.attachCommand(paneId) ?? [],
      ...{
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color' },
        columns: 90,
        rows: 25,
        onOutput: () => undefined,
      },
    })
    try {
      await waitFor('a person to see it', async () =>
        (await person.capture(0)).includes('got a message'),
      )
    } finally {
      person.dispose()
    }

    await detached.close(paneId)
    expect(isAlive(pid)).toBe(false)
    await waitFor('the death', () => deaths.length === 1)
    expect(deaths).toMatchObject([{ agentId, paneId }])
    const warnings = logged.split('\n').filter((line) => line.includes('earlier version'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('resume')
    expect(warnings[0]).toContain(agentId)
  })

  it('gets nothing new, and ends with the last that it holds, its files with it', async () => {
    const before = await openedBefore(['/bin/cat'])
    const detached = await upgrade()
    const options = {
      agentId: newAgentId(),
      name: 'new',
      cwd: folder,
      env: {},
      argv: ['/bin/cat'],
      columns: 80,
      rows: 24,
    }
    const now = await detached.open(
      kind === 'runner' ? { ...options, program: { kind: 'process' } } : options,
    )
    expect((await detached.list()).map(({ paneId }) => paneId).toSorted()).toEqual(
      [before.paneId, now.paneId].toSorted(),
    )
    const { pid } = JSON.parse(readFileSync(join(folder, 'detached-host.json'), 'utf8')) as {
      pid: number
    }
    expect(pid).not.toBe(host)

    await detached.close(before.paneId)
    await waitFor(
      'the earlier host to end',
      async () => (await detached.list()).length === 1 && !isAlive(host),
    )
    expect(await detached.list()).toMatchObject([{ paneId: now.paneId, dead: false }])
    expect(left()).toEqual([])
  })

  it('that is killed: its agents are reported as gone, and what it left does not stay', async () => {
    const { agentId, paneId } = await openedBefore(['/bin/cat'])
    const detached = await upgrade()
    const deaths: unknown[] = []
    detached.onDeath((death) => deaths.push(death))
    process.kill(host, 'SIGKILL')
    await waitFor('the death', () => deaths.length === 1)
    expect(deaths).toEqual([{ agentId, paneId, exitCode: null, exitSignal: null }])
    expect(await detached.paste(paneId, 'x')).toEqual({ kind: 'gone' })
    expect(left()).toEqual([])
  })

  it('is ended with all of its agents when everything is', async () => {
    const { pid } = await openedBefore(['/bin/cat'])
    const detached = await upgrade()
    await detached.shutdown()
    expect(isAlive(pid)).toBe(false)
    await waitFor('the earlier host to end', () => !isAlive(host))
    expect(left().filter((name) => /json|sock/.test(name))).toEqual([])
  })
})
