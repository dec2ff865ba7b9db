import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import type { Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { createZellij } from '../../../src/adapters/terminals/zellij/zellij.ts'
import { newAgentId } from '../../../src/ids.ts'
import { silentLog } from '../../../src/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { parentOf } from '../../helpers/zellij.ts'
import { verifies } from '../../requirements.ts'
import { isAlive } from '../../helpers/processes.ts'
import { fixture, type Bench } from './bench.ts'
import { createImplementation, scrubbedEnvironment } from './create.ts'
import { describeZellijPeople } from './zellij-people.ts'
import { usePersons } from './zellij-persons.ts'

export function describeZellijOnly(bench: Bench): void {
  const { zellij, terminals, attach, sees, processes, servers, session } = usePersons(bench)
  const records = () => (existsSync(join(bench.folder, 'zellij', 'panes')) ? readdirSync(join(bench.folder, 'zellij', 'panes')) : [])

  const server = (): number => {
    const [pid] = servers()
    if (pid === undefined) throw new Error('no server of this session runs')
    return pid
  }

  it.each([
    ['0.44.1', 'Zellij 0.44.1 is too old'],
    ['0.9.99', 'Zellij 0.9.99 is too old'],
    ['0.44.2-rc.1', 'Zellij 0.44.2-rc.1 is too old'],
    ['of course', 'does not tell its version'],
  ])('refuses Zellij %s with what it found and needs, and starts nothing', async (version, said) => {
    const folder = join(bench.folder, 'fake')
    mkdirSync(folder)
    writeFileSync(join(folder, 'zellij'), `#!/bin/sh\nif [ "$1" = --version ]; then echo "zellij ${version}"; else touch "$0.used"; fi\n`)
    chmodSync(join(folder, 'zellij'), 0o755)
    const environment = { ...scrubbedEnvironment(bench.folder), PATH: `${folder}:${process.env['PATH'] ?? ''}` }
    const old = createZellij({ session: 'old', stateDir: folder, environment, log: silentLog() })
    const refusal = { code: 'MULTIPLEXER_UNAVAILABLE', message: expect.stringMatching(new RegExp(`${said}.*0\\.44\\.2 or newer`)) as string }
    await expect(old.start()).rejects.toMatchObject(refusal)
    await expect(old.open({ agentId: newAgentId(), name: 'x', cwd: folder, env: {}, argv: ['/bin/cat'], columns: 80, rows: 24 })).rejects.toMatchObject(refusal)
    await old.dispose()
    expect(readdirSync(folder)).toEqual(['zellij'])
  })

  it('says what to do where Zellij is missing', async () => {
    const environment = { ...scrubbedEnvironment(bench.folder), PATH: join(bench.folder, 'nothing') }
    const missing = createZellij({ session: 'none', stateDir: join(bench.folder, 'none'), environment, log: silentLog() })
    await expect(missing.start()).rejects.toMatchObject({ code: 'MULTIPLEXER_UNAVAILABLE', message: expect.stringContaining('Install it') as string })
    await missing.dispose()
    expect(existsSync(join(bench.folder, 'none'))).toBe(false)
  })

  it(verifies('R004-21', 'starts nothing anew and opens no shell where a person presses keys in a pane whose program has ended'), async () => {
    const file = join(bench.folder, 'starts')
    const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', 'echo started >> "$0"; echo it has ended; exit 3', file] })
    await waitFor('the end', async () => (await bench.multiplexer.inspect(paneId))?.exitCode === 3)
    const person = attach(paneId)
    await sees(person, 'it has ended')
    for (const key of ['\r', '\u001B', '\u0003', '\u0004', '\u001A', 'exit\r']) await person.type(key, { paste: false })
    for (const bytes of ['13', '27', '3', '4', '26', '13']) await zellij('write', '--pane-id', paneId, bytes)
    await zellij('write-chars', '--pane-id', paneId, `touch ${join(bench.folder, 'touched')}\r`)
    // Whoever typed after them has been served: so have they.
    const recorder = await bench.openRecorder()
    await bench.multiplexer.paste(recorder.paneId, 'served')
    await waitFor('the paste', () => recorder.recorded().includes('served'))
    expect(readFileSync(file, 'utf8')).toBe('started\n')
    expect(existsSync(join(bench.folder, 'touched'))).toBe(false)
    expect(await bench.multiplexer.capture(paneId)).toBe('it has ended')
    expect(await bench.multiplexer.inspect(paneId)).toMatchObject({ dead: true, exitCode: 3 })
    expect(await bench.multiplexer.paste(paneId, 'text')).toEqual({ kind: 'dead' })
  })

  it('starts no program twice where the script that holds the pane was killed and a person presses Enter', async () => {
    const deaths: unknown[] = []
    bench.multiplexer.onDeath((death) => deaths.push(death))
    const file = join(bench.folder, 'starts')
    const { paneId, agentId, pid } = await bench.open({ argv: ['/bin/sh', '-c', 'echo started >> "$0"; exec cat', file] })
    process.kill(parentOf(pid), 'SIGKILL')
    await waitFor('the program to be hung up', () => !isAlive(pid))
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toMatchObject([{ paneId, agentId }])
    await zellij('write', '--pane-id', paneId, '13')
    await waitFor('the script to say so', async () => (await bench.multiplexer.capture(paneId)).includes('has ended. Start it again with'))
    expect(readFileSync(file, 'utf8')).toBe('started\n')
    expect(await bench.multiplexer.pressEnter(paneId)).toEqual({ kind: 'dead' })
    await bench.multiplexer.close(paneId)
    expect(deaths).toHaveLength(1)
    expect(records()).toEqual([])
  })

  it('tells of a pane that a person closes, whose program ends, and forgets it at the next start', async () => {
    const deaths: unknown[] = []
    bench.multiplexer.onDeath((death) => deaths.push(death))
    const { paneId, agentId, pid } = await bench.open({ argv: ['/bin/cat'] })
    await zellij('close-pane', '--pane-id', paneId)
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([{ paneId, agentId, exitCode: null, exitSignal: null }])
    await waitFor('the program to end', () => !isAlive(pid))
    expect(await bench.multiplexer.list()).toEqual([])
    expect(await bench.multiplexer.paste(paneId, 'text')).toEqual({ kind: 'gone' })
    await waitFor('its records to go', async () => {
      await bench.another().start()
      return records().length === 0
    })
  })

  it('tells of all deaths when the server is killed, answers that nothing is there, and opens again', async () => {
    const deaths: string[] = []
    bench.multiplexer.onDeath(({ agentId }) => deaths.push(String(agentId)))
    const opened = await Promise.all([1, 2, 3].map(async () => await bench.open({ argv: ['/bin/cat'] })))
    process.kill(server(), 'SIGKILL')
    await waitFor('the deaths', () => deaths.length === 3)
    expect(deaths.toSorted()).toEqual(opened.map(({ agentId }) => String(agentId)).toSorted())
    await waitFor('the programs to be hung up', () => opened.every(({ pid }) => !isAlive(pid)))
    expect(await bench.multiplexer.list()).toEqual([])
    expect(await bench.multiplexer.paste(opened[0]?.paneId ?? ('' as never), 'text')).toEqual({ kind: 'gone' })
    const again = await bench.open({ argv: ['/bin/cat'] })
    expect(await bench.multiplexer.list()).toMatchObject([{ paneId: again.paneId, agentId: again.agentId, dead: false }])
    expect(records().filter((name) => name.endsWith('.json'))).toHaveLength(1)
    process.kill(again.pid, 'SIGTERM')
    await waitFor('the next death', () => deaths.length === 4)
    expect(deaths[3]).toBe(again.agentId)
  })

  it('opens when its own client was killed, and hears of deaths when its subscription was', async () => {
    const deaths: string[] = []
    bench.multiplexer.onDeath(({ paneId }) => deaths.push(paneId))
    const first = await bench.open({ argv: ['/bin/cat'] })
    for (const pid of processes('attach', session(), 'config.kdl')) process.kill(pid, 'SIGKILL')
    const second = await bench.open({ columns: 77, rows: 21, argv: ['/bin/sh', '-c', 'while stty size; do sleep 0.1; done'] })
    await waitFor('the size', async () => (await bench.multiplexer.capture(second.paneId)).includes('21 77'))
    for (const pid of processes('subscribe', session())) process.kill(pid, 'SIGKILL')
    for (const { pid } of [first, second]) process.kill(pid, 'SIGTERM')
    await waitFor('the deaths', () => deaths.length === 2)
    expect(deaths.toSorted()).toEqual([first.paneId, second.paneId].toSorted())
  })

  it('leaves no process behind where a daemon is killed, but the session with its panes', async () => {
    const child = spawn(process.execPath, [fixture('adopter.ts'), 'zellij', bench.folder, '1'], { stdio: ['ignore', 'pipe', 'inherit'], env: process.env })
    await once(child.stdout, 'data')
    const helpers = () => [...processes('subscribe', session()), ...processes('attach', session(), 'config.kdl')].length
    expect(helpers()).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await bench.multiplexer.dispose()
    await waitFor('what it had started to end', () => helpers() === 0)
    expect(await createImplementation('zellij', bench.folder).list()).toMatchObject([{ dead: false }])
  })

  it('can’t tell what was pasted where a daemon is killed in the middle of it', async () => {
    const recorder = await bench.openRecorder()
    await bench.multiplexer.paste(recorder.paneId, 'first', 'batch-1')
    // A Zellij that never comes back from a paste.
    const binary = join(bench.folder, 'zellij-that-hangs')
    const hangs = `#!/bin/sh\nfor word; do if [ "$word" = paste ]; then echo > "$0.pasting"; exec sleep 1000; fi; done\nexec zellij "$@"\n`
    writeFileSync(binary, hangs)
    chmodSync(binary, 0o755)
    const options = {
      session: session(),
      stateDir: bench.folder,
      environment: scrubbedEnvironment(bench.folder),
      log: silentLog(),
      binary,
      commandTimeout: 3000,
    }
    const killed = createZellij(options)
    const pasting = killed.paste(recorder.paneId, 'second', 'batch-2')
    await waitFor('the paste to begin', () => existsSync(`${binary}.pasting`))
    expect(await bench.another().inspect(recorder.paneId)).toMatchObject({ pasted: undefined, entered: [] })
    await expect(pasting).rejects.toMatchObject({ code: 'MULTIPLEXER_UNAVAILABLE', facts: { outcome: 'unknown' } })
    expect((await bench.another().inspect(recorder.paneId))?.pasted).toBeUndefined()
    await killed.dispose()
    await bench.multiplexer.paste(recorder.paneId, 'third', 'batch-3')
    expect((await bench.another().inspect(recorder.paneId))?.pasted?.at(-1)).toBe('batch-3')
  })

  it('neither lists nor touches a pane that a person opens in our session; all of it ends with the session', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    const [record = ''] = records()
    const before = await terminals()
    await zellij('new-tab', '--', 'cat', join(bench.folder, 'zellij', 'panes', record), '-')
    const ids = await waitFor('their pane', async () => {
      const now = await terminals()
      return now.length > before.length && now
    })
    expect((await bench.multiplexer.list()).map((pane) => pane.paneId)).toEqual([paneId])
    for (const other of ids.filter((id) => id !== paneId)) {
      expect(await bench.multiplexer.paste(other, 'text')).toEqual({ kind: 'gone' })
      expect(await bench.multiplexer.inspect(other)).toBeUndefined()
      await bench.multiplexer.close(other)
    }
    await bench.multiplexer.close(paneId)
    expect(await bench.multiplexer.list()).toEqual([])
    expect((await terminals()).toSorted()).toEqual(ids.filter((id) => id !== paneId).toSorted())
  })

  it('pastes around the length of one argument, with characters across the border, and a lonely dash', async () => {
    const recorder = await bench.openRecorder()
    let expected = ''
    for (const [text, length] of [
      ['é', 49_999],
      ['日', 33_334],
      ['🌳', 25_001],
      ['a🌳', 40_001],
      ['-', 1],
      ['\u00A0\uFEFF\u200B e\u0301 \uFFFD \u{10FFFF}', 1],
    ] as const) {
      const whole = `${text.repeat(length)}`
      expect(await bench.multiplexer.paste(recorder.paneId, whole)).toEqual({ kind: 'typed' })
      expected += `\u001B[200~${whole}\u001B[201~`
      await waitFor('the paste', () => recorder.recorded().length >= expected.length)
      expect(recorder.recorded() === expected).toBe(true)
    }
  })

  it('says what is wrong with an argument that no system takes', async () => {
    await expect(bench.open({ argv: ['/bin/echo', 'x'.repeat(140_000)] })).rejects.toMatchObject({ code: 'INVALID_ARG' })
    expect(await bench.multiplexer.list()).toEqual([])
    expect(records()).toEqual([])
  })

  it('serves many who ask while the session starts', async () => {
    await bench.multiplexer.shutdown()
    const many = Array.from({ length: 6 }, () => bench.another())
    const answers = await Promise.all(many.flatMap((one): Promise<unknown>[] => [one.list(), one.start(), one.list(), one.list()]))
    expect(answers.filter(Array.isArray).flat()).toEqual([])
    const agentIds = many.map(() => newAgentId())
    const opened = await Promise.all(
      many.map((one, index) =>
        one.open({ agentId: agentIds[index] ?? newAgentId(), name: 'x', cwd: bench.folder, env: {}, argv: ['/bin/cat'], columns: 80, rows: 24 }),
      ),
    )
    expect((await many[0]?.list())?.map(({ agentId }) => String(agentId)).toSorted()).toEqual(agentIds.map(String).toSorted())
    expect(new Set(opened.map(({ paneId }) => paneId)).size).toBe(6)
    expect(servers()).toHaveLength(1)
  })

  it('gives each question its own answer, many at once', async () => {
    const panes = await Promise.all([1, 2, 3].map((number) => bench.open({ argv: ['/bin/sh', '-c', `echo this is ${String(number)}; exec cat`] })))
    for (const [index, { paneId }] of panes.entries())
      await waitFor('its words', async () => (await bench.multiplexer.capture(paneId)).includes(`this is ${String(index + 1)}`))
    for (let round = 0; round < 25; round += 1) {
      const answers = await Promise.all([
        bench.multiplexer.list(),
        ...panes.flatMap(({ paneId }) => [
          bench.multiplexer.capture(paneId),
          bench.multiplexer.inspect(paneId),
          bench.multiplexer.rename(paneId, `r${String(round)}`),
        ]),
      ])
      expect((answers[0] as unknown[]).length).toBe(3)
      for (const [index, { paneId }] of panes.entries()) {
        expect(answers[1 + 3 * index]).toBe(`this is ${String(index + 1)}`)
        expect(answers[2 + 3 * index]).toMatchObject({ paneId, dead: false })
      }
    }
  })

  it('keeps what it knows in a folder with any name, leaves nothing in it, and hands over any environment', async () => {
    const stateDir = join(bench.folder, `it's "our" $folder; \\ ünï-コード🌳`)
    mkdirSync(stateDir)
    const environment = { ...scrubbedEnvironment(bench.folder), LINES_OF: 'one\ntwo\n' }
    const other: Multiplexer = createZellij({ session: `${session()}-b`, stateDir, environment, log: silentLog(), closeGrace: 500 })
    const file = join(bench.folder, 'told')
    try {
      const script =
        'fs.writeFileSync(process.argv[1] + "~", JSON.stringify(process.env)); fs.renameSync(process.argv[1] + "~", process.argv[1]); setInterval(() => {}, 1000)'
      const env = { record: 'r', code: 'c', MORE: 'a\n\nb=c ' }
      const argv = [process.execPath, '-e', script, file]
      const { paneId } = await other.open({ agentId: newAgentId(), name: 'x', cwd: bench.folder, env, argv, columns: 80, rows: 24 })
      const told = JSON.parse(await waitFor('the environment', () => existsSync(file) && readFileSync(file, 'utf8'))) as Record<string, string>
      expect(told).toMatchObject({ ...env, LINES_OF: 'one\ntwo\n' })
      expect(Object.keys(told).filter((name) => /exomonad|ZELLIJ/i.test(name))).toEqual([])
      expect(await other.list()).toMatchObject([{ paneId, dead: false }])
      await other.close(paneId)
      expect(readdirSync(join(stateDir, 'zellij', 'panes'))).toEqual([])
    } finally {
      await other.shutdown()
      await other.dispose()
    }
    expect(readdirSync(stateDir)).toEqual([])
    const cache = join(bench.folder, '.cache', 'zellij', 'contract_version_1', 'session_info')
    expect(readdirSync(cache).filter((name) => name.endsWith('-b'))).toEqual([])
  })

  describeZellijPeople(bench)
}
