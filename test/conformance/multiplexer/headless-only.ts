import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { createDetached } from '../../../src/adapters/terminals/detached/detached.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { programs } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { isAlive } from '../../helpers/processes.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment } from './create.ts'

export function describeHeadlessOnly(bench: Bench): void {
  const record = (folder = bench.folder) =>
    JSON.parse(readFileSync(join(folder, 'detached-host.json'), 'utf8')) as {
      pid: number
      socket: string
    }

  it('lets only its user at the socket', () => {
    expect(statSync(record().socket).mode & 0o777).toBe(0o600)
    expect(statSync(join(bench.folder, 'detached-host.log')).mode & 0o777).toBe(0o600)
  })

  it('reports all deaths when the host is killed, lists nothing, and opens again', async () => {
    const deaths: string[] = []
    bench.multiplexer.onDeath(({ paneId }) => deaths.push(paneId))
    const opened = await Promise.all(
      [1, 2, 3].map(async () => await bench.open({ argv: ['/bin/cat'] })),
    )
    process.kill(record().pid, 'SIGKILL')
    await waitFor('the deaths', () => deaths.length === 3)
    expect(deaths.toSorted()).toEqual(opened.map(({ paneId }) => paneId).toSorted())
    await waitFor('the programs to be hung up', () => opened.every(({ pid }) => !isAlive(pid)))
    expect(await bench.multiplexer.list()).toEqual([])
    expect(await bench.multiplexer.paste(opened[0]?.paneId ?? ('' as never), 'text')).toEqual({
      kind: 'gone',
    })
    const again = await bench.open({ argv: ['/bin/cat'] })
    expect(await bench.multiplexer.list()).toMatchObject([{ paneId: again.paneId }])
  })

  it('puts the socket elsewhere where the path of the state folder is too long, and finds it again from its record', async () => {
    const stateDir = join(bench.folder, 'a-folder-with-a-long-name-'.repeat(6))
    const runtimeDir = join(bench.folder, 'run')
    mkdirSync(runtimeDir, { mode: 0o700 })
    const environment = scrubbedEnvironment(bench.folder)
    const options = { stateDir, environment, node: process.execPath, programs, log: silentLog() }
    const first = createDetached({ ...options, runtimeDir })
    await first.start()
    const { paneId } = await first.open({
      agentId: newAgentId(),
      name: 'x',
      cwd: bench.folder,
      env: {},
      argv: ['/bin/cat'],
      columns: 80,
      rows: 24,
    })
    expect(record(stateDir).socket.startsWith(runtimeDir)).toBe(true)
    const second = createDetached({ ...options, runtimeDir: join(bench.folder, 'another') })
    expect(await second.list()).toMatchObject([{ paneId }])
    await first.dispose()
    await second.shutdown()
    await second.dispose()
  })

  it('keeps up with a program that floods its screen, and with the others meanwhile', async () => {
    const flood = await bench.open({
      argv: [
        '/bin/sh',
        '-c',
        'i=0; while [ $i -lt 200000 ]; do echo "flood line $i 0123456789012345678901234567890123456789"; i=$((i+1)); done; echo the end; exec cat',
      ],
    })
    const recorder = await bench.openRecorder()
    expect(await bench.multiplexer.paste(recorder.paneId, 'meanwhile')).toEqual({ kind: 'typed' })
    await waitFor('the paste', () => recorder.recorded().includes('meanwhile'))
    await waitFor(
      'the end',
      async () => (await bench.multiplexer.capture(flood.paneId)).endsWith('the end'),
      { limit: 100_000 },
    )
  }, 120_000)

  it('answers what programs ask their terminal', async () => {
    const { paneId } = await bench.open({
      argv: [
        process.execPath,
        '-e',
        String.raw`process.stdin.setRawMode(true); process.stdin.once('data', (d) => { console.log('answer', JSON.stringify(d.toString())); setInterval(() => {}, 1000) }); process.stdout.write('\x1b[6n')`,
      ],
    })
    await waitFor('the answer', async () =>
      (await bench.multiplexer.capture(paneId)).includes(String.raw`answer "\u001b[1;1R"`),
    )
  })

  it('ends with a message where a host can not start', async () => {
    const broken = createDetached({
      stateDir: join(bench.folder, 'broken'),
      environment: scrubbedEnvironment(bench.folder),
      node: '/bin/false',
      log: silentLog(),
      startTimeout: 200,
    })
    await expect(broken.start()).rejects.toMatchObject({ code: 'MULTIPLEXER_UNAVAILABLE' })
    await broken.dispose()
    rmSync(join(bench.folder, 'broken'), { recursive: true })
  })
}
