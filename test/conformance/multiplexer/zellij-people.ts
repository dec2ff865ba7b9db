import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { HostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment } from './create.ts'
import { usePersons } from './zellij-persons.ts'

export function describeZellijPeople(bench: Bench): void {
  const { attach, sees, watch, processes, session } = usePersons(bench)

  it('switches there from inside another session', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/sh', '-c', 'echo first pane; exec cat'] })
    const words = (bench.multiplexer.attachCommand(paneId) ?? []).map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    const file = join(bench.folder, 'go')
    writeFileSync(file, words.join(' '))
    const own = `${session()}-own`
    const env = scrubbedEnvironment(bench.folder)
    // By a layout: a command to a session that has only just started may be done for a client that is not there any more.
    const layout = join(bench.folder, 'own.kdl')
    writeFileSync(layout, `layout {\n  pane command="/bin/sh" {\n    args "-c" "echo a shell of their own; exec sh"\n  }\n}\n`)
    try {
      const config = join(bench.folder, 'zellij', 'config.kdl')
      const person = attach(paneId, ['zellij', '--config', config, '--session', own, '--new-session-with-layout', layout])
      await sees(person, 'a shell of their own')
      await person.type(`. ${file}\r`, { paste: false })
      await sees(person, 'first pane')
    } finally {
      await promisify(execFile)('zellij', ['delete-session', '--force', own], { env }).catch(() => undefined)
      await waitFor('their session to end', () => processes('--server', `/${own}`).length === 0)
    }
  })

  it('asks nothing of the sessions of people: one that is just starting would end by that', async () => {
    const [version = ''] = readdirSync(bench.folder).filter((name) => name.startsWith('contract_version_'))
    let asked = 0
    const other = createServer((socket) => {
      asked += 1
      socket.destroy()
    }).listen(join(bench.folder, version, 'somebody'))
    try {
      await once(other, 'listening')
      const recorder = await bench.openRecorder()
      await bench.multiplexer.paste(recorder.paneId, 'text')
      await waitFor('the paste', () => recorder.recorded().includes('text'))
      await bench.multiplexer.capture(recorder.paneId)
      await bench.multiplexer.rename(recorder.paneId, 'another name')
      await bench.another().start()
      await bench.multiplexer.close(recorder.paneId)
      expect(asked).toBe(0)
      await promisify(execFile)('zellij', ['list-sessions'], { env: scrubbedEnvironment(bench.folder) })
      expect(asked).toBe(1)
    } finally {
      other.close()
    }
  })

  it('tells plainly that a Zellij with its sessions elsewhere can’t switch', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    const [file = '', ...args] = bench.multiplexer.attachCommand(paneId) ?? []
    const env = { ...scrubbedEnvironment(bench.folder), ZELLIJ: '0', ZELLIJ_SESSION_NAME: 'elsewhere', ZELLIJ_SOCKET_DIR: '/nowhere' }
    await expect(promisify(execFile)(file, args, { env })).rejects.toMatchObject({ stderr: expect.stringContaining('outside of it') as string })
  })

  it('takes a person to the pane they asked for whatever number Zellij has for them, also one with which another was elsewhere', async () => {
    const saying = (words: string) => ['/bin/sh', '-c', 'stty raw -echo; echo "$0"; exec cat >"$1"', words, join(bench.folder, words)]
    const parent = await bench.open({ columns: 110, rows: 40, argv: saying('parent') })
    const worker = await bench.open({ columns: 110, rows: 40, argv: saying('worker'), beside: parent.paneId })
    const before: HostedTerminal[] = []
    for (let number = 0; number < 2; number += 1) {
      const person = attach(parent.paneId)
      before.push(person)
      await sees(person, 'worker')
    }
    for (const person of before) person.dispose()
    await waitFor('nobody to be there', async () => (await bench.multiplexer.inspect(parent.paneId))?.humanActiveAt === null)

    const argv = bench.multiplexer.attachCommand(worker.paneId) ?? []
    await waitFor('it to be prepared', () => readdirSync(join(bench.folder, 'zellij')).some((name) => name.startsWith('ready-')))
    // Takes the lowest number.
    const other = await watch(parent.paneId)
    try {
      const person = attach(worker.paneId, argv)
      await sees(person, 'worker')
      await person.type('typed', { paste: false })
      await waitFor('the text', () => readFileSync(join(bench.folder, 'worker'), 'utf8') === 'typed')
      expect(readFileSync(join(bench.folder, 'parent'), 'utf8')).toBe('')
    } finally {
      other.kill()
    }
  })

  it('takes persons who attach in the same moment to the pane they asked for, each of them', async () => {
    const recorders = [await bench.openRecorder(), await bench.openRecorder(), await bench.openRecorder()]
    const asked = recorders[2]!
    const persons = [attach(asked.paneId), attach(asked.paneId), attach(asked.paneId)]
    for (const person of persons) await sees(person, 'recorder ready')
    for (const [number, person] of persons.entries()) {
      await person.type(String(number), { paste: false })
      await waitFor('the text', () => asked.recorded().endsWith(String(number)))
    }
    expect(recorders.map((one) => one.recorded())).toEqual(['', '', '012'])
  })

  it('takes a person to the pane they asked for where another has a lower number than what goes ahead of them', async () => {
    // Before the first pane is opened nothing of ours goes ahead of anybody.
    const first = await Promise.all(Array.from({ length: 3 }, () => watch('terminal_0')))
    const [one, other] = [await bench.openRecorder(), await bench.openRecorder()]
    for (const child of first) {
      child.kill()
      await once(child, 'exit')
    }
    for (const { paneId } of [one, other]) {
      attach(paneId)
      await waitFor('somebody there', async () => (await bench.multiplexer.inspect(paneId))?.humanActiveAt)
    }
    expect((await bench.multiplexer.inspect(one.paneId))?.humanActiveAt).not.toBeNull()
  })

  it('takes a person to their pane also in a daemon that has opened none yet, with somebody there since before', async () => {
    const [one, other] = [await bench.openRecorder(), await bench.openRecorder()]
    const before = attach(one.paneId)
    await sees(before, 'recorder ready')
    await bench.multiplexer.dispose()
    const next = bench.another()
    await next.start()
    const person = attach(other.paneId, next.attachCommand(other.paneId))
    await sees(person, 'recorder ready')
    await waitFor('them to be there', async () => (await next.inspect(other.paneId))?.humanActiveAt)
    await person.type('of this one', { paste: false })
    await waitFor('the text', () => other.recorded().includes('of this one'))
    await before.type('of the other', { paste: false })
    await waitFor('the text', () => one.recorded().includes('of the other'))
    expect([one.recorded(), other.recorded()]).toEqual(['of the other', 'of this one'])
  })

  it('knows of two persons at once', async () => {
    const [one, other] = [await bench.openRecorder(), await bench.openRecorder()]
    const first = attach(one.paneId)
    await sees(first, 'recorder ready')
    await first.type('first', { paste: false })
    await waitFor('the text', () => one.recorded().includes('first'))
    const second = attach(other.paneId)
    await waitFor('the second there', async () => (await bench.multiplexer.inspect(other.paneId))?.humanActiveAt)
    await second.type('second', { paste: false })
    await waitFor('the text', () => other.recorded().includes('second'))
    await first.type('again', { paste: false })
    await waitFor('the text', () => one.recorded().includes('again'))
    expect([one.recorded(), other.recorded()]).toEqual(['firstagain', 'second'])
    for (const { paneId } of [one, other]) expect((await bench.multiplexer.inspect(paneId))?.humanActiveAt).not.toBeNull()
    first.dispose()
    await waitFor('nobody to be at the first', async () => (await bench.multiplexer.inspect(one.paneId))?.humanActiveAt === null)
    expect((await bench.multiplexer.inspect(other.paneId))?.humanActiveAt).not.toBeNull()
  })
}
