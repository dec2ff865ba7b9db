import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { asPaneId, newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { fixture, type Bench, type Opened } from './bench.ts'
import { scrubbedEnvironment } from './create.ts'

/** A program that says who it is and writes down what it reads. */
interface Recorder extends Opened {
  readonly recorded: () => string
}
const SAYING = ['/bin/sh', '-c', String.raw`printf '%s\r\n' "$1"; shift; exec "$@"`, 'sh']
const SIZE = { columns: 110, rows: 40 }

/** Opens a recorder, and waits until it is ready. */
async function openSaying(
  bench: Bench,
  words: string,
  more: Partial<OpenPane> = {},
): Promise<Recorder> {
  const agentId = newAgentId()
  const file = join(bench.folder, `recorded-${agentId}`)
  const opened = await bench.open({
    agentId,
    name: words,
    argv: [...SAYING, words, process.execPath, fixture('recorder.ts'), file],
    ...more,
  })
  await waitFor(`${words} to be ready`, async () =>
    (await bench.multiplexer.capture(opened.paneId)).includes('recorder ready'),
  )
  return { ...opened, recorded: () => readFileSync(file, 'utf8') }
}

/**
 * Panes that are opened beside another: they share its window where there are windows, and are
 * panes like all others everywhere.
 */
export function describeLayout(bench: Bench): void {
  const onWindows = it.skipIf(bench.kind === 'headless')
  const people: HostedTerminal[] = []
  afterEach(() => {
    for (const person of people.splice(0)) person.dispose()
  })
  const attach = (paneId: PaneId): HostedTerminal => {
    const person = createHostedTerminal({
      argv: bench.multiplexer.attachCommand(paneId) ?? [],
      cwd: '/',
      env: {
        PATH: scrubbedEnvironment('')['PATH'] ?? '',
        HOME: bench.folder,
        TERM: 'xterm-256color',
      },
      ...SIZE,
      onOutput: () => undefined,
    })
    people.push(person)
    return person
  }
  const sees = async (person: HostedTerminal, ...texts: string[]) =>
    await waitFor(`a person to see ${texts.join(' and ')}`, async () => {
      const screen = await person.capture(0)
      return texts.every((text) => screen.includes(text))
    })

  onWindows(
    'shows them in one window; attaching goes to the pane that was asked for, and only there a person counts as active',
    async () => {
      const parent = await openSaying(bench, 'the parent', { ...SIZE, name: 'first' })
      const alone = await openSaying(bench, 'somebody else', { ...SIZE, name: 'second' })
      const worker = await openSaying(bench, 'the worker', {
        ...SIZE,
        name: 'third',
        beside: parent.paneId,
      })
      for (const [one, other] of [
        [worker, parent],
        [parent, worker],
      ] as const) {
        const person = attach(one.paneId)
        await sees(person, 'the parent', 'the worker')
        expect(await person.capture(0)).not.toContain('somebody else')
        const before = other.recorded()
        await person.type('typed', { paste: false })
        await waitFor('the text', () => one.recorded().includes('typed'))
        expect(other.recorded()).toBe(before)
        await waitFor(
          'the activity',
          async () => (await bench.multiplexer.inspect(one.paneId))?.humanActiveAt,
        )
        expect((await bench.multiplexer.inspect(other.paneId))?.humanActiveAt).toBeNull()
        person.dispose()
        await person.end
        await waitFor(
          'nobody to be there',
          async () => (await bench.multiplexer.inspect(one.paneId))?.humanActiveAt === null,
        )
      }
      expect(alone.recorded()).toBe('')
    },
  )

  it('opens what finds no room, and what is to be beside a pane that is not there, all the same', async () => {
    const parent = await bench.open({ argv: ['/bin/cat'] })
    const agents = Array.from({ length: 12 }, () => newAgentId())
    const opened = await Promise.all(
      agents.map((agentId, index) =>
        bench.open({ agentId, name: `w${index}`, beside: parent.paneId, argv: ['/bin/cat'] }),
      ),
    )
    const lost = await bench.open({ name: 'lost', beside: asPaneId('%4711'), argv: ['/bin/cat'] })
    const strange = await bench.open({
      name: 'strange',
      beside: asPaneId(`x'; "y`),
      argv: ['/bin/cat'],
    })
    const panes = new Map((await bench.multiplexer.list()).map((pane) => [pane.paneId, pane]))
    expect(panes.size).toBe(15)
    for (const [index, { agentId, paneId, pid }] of opened.entries())
      expect(panes.get(paneId)).toMatchObject({ agentId, pid, name: `w${index}`, dead: false })
    for (const [index, { paneId }] of opened.entries())
      expect(await bench.multiplexer.paste(paneId, `text for ${index}`)).toEqual({ kind: 'typed' })
    for (const [index, { paneId }] of opened.entries())
      await waitFor(`the text of ${index}`, async () =>
        (await bench.multiplexer.capture(paneId)).includes(`text for ${index}`),
      )
    for (const { paneId, agentId } of [lost, strange])
      expect(await bench.multiplexer.inspect(paneId)).toMatchObject({ agentId, dead: false })
  })

  it('hands environment, folder and arguments over as it does elsewhere', async () => {
    const parent = await bench.open({ argv: ['/bin/cat'], env: { ONLY_FIRST: 'x' } })
    const file = join(bench.folder, 'received')
    const hostile = `two\nlines 'single' "double" $HOME \`id\` #{pid} \\ ; ~ é🚀\t`
    const script =
      'fs.writeFileSync(process.argv[1] + "~", JSON.stringify([process.argv.slice(2), process.env, process.cwd()])); fs.renameSync(process.argv[1] + "~", process.argv[1])'
    const words = ['', ';', '{', '#{pane_id}', '%1', '-x', '~', hostile, String.raw`\n\\`, 'x;']
    await bench.open({
      beside: parent.paneId,
      env: { HOSTILE: hostile },
      argv: [process.execPath, '-e', script, file, ...words],
    })
    const [received, environment, cwd] = JSON.parse(
      await waitFor(file, () => existsSync(file) && readFileSync(file, 'utf8')),
    )
    expect(received).toEqual(words)
    expect(environment).toMatchObject({ HOSTILE: hostile, HOME: bench.folder })
    expect(
      Object.keys(environment).filter((name) =>
        /^(ONLY_FIRST|TMUX|TMUX_PANE|ZELLIJ|ZELLIJ_PANE_ID|ZELLIJ_SESSION_NAME)$/.test(name),
      ),
    ).toEqual([])
    expect(cwd).toBe(bench.folder)
  })

  it('keeps the name of each, also for an adapter that finds them', async () => {
    const parent = await bench.open({ name: 'main', argv: ['/bin/cat'] })
    const one = await bench.open({ name: 'main.one', beside: parent.paneId, argv: ['/bin/cat'] })
    const names = async (multiplexer = bench.multiplexer) =>
      (await multiplexer.list()).map(({ name }) => name).toSorted()
    expect(await names()).toEqual(['main', 'main.one'])
    await bench.multiplexer.rename(one.paneId, 'main.one ✓ #[x] #{pid} ü')
    await bench.multiplexer.rename(parent.paneId, 'main ◐ running')
    const other = bench.another()
    await other.start()
    expect(await names(other)).toEqual(['main ◐ running', 'main.one ✓ #[x] #{pid} ü'])
    expect((await other.inspect(one.paneId))?.name).toBe('main.one ✓ #[x] #{pid} ü')
  })

  it('reports how each ends, pastes to those that live only, and closing one leaves the others', async () => {
    const deaths: unknown[] = []
    bench.multiplexer.onDeath((death) => deaths.push(death))
    const parent = await openSaying(bench, 'the parent', SIZE)
    const worker = await openSaying(bench, 'the worker', { ...SIZE, beside: parent.paneId })
    // What tmux may lose of a last instant is none of this.
    const go = join(bench.folder, 'go')
    const doomed = await bench.open({
      ...SIZE,
      beside: parent.paneId,
      argv: [
        '/bin/sh',
        '-c',
        'echo last words; while [ ! -e "$0" ]; do sleep 0.02; done; exit 7',
        go,
      ],
    })
    await waitFor('its words', async () =>
      (await bench.multiplexer.capture(doomed.paneId)).includes('last words'),
    )
    writeFileSync(go, '')
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([
      { paneId: doomed.paneId, agentId: doomed.agentId, exitCode: 7, exitSignal: null },
    ])
    expect(await bench.multiplexer.paste(doomed.paneId, 'text')).toEqual({ kind: 'dead' })
    expect(await bench.multiplexer.capture(doomed.paneId)).toContain('last words')

    await bench.multiplexer.close(parent.paneId)
    await waitFor('the next death', () => deaths.length > 1)
    expect(deaths[1]).toMatchObject({ paneId: parent.paneId })
    expect(await bench.multiplexer.inspect(parent.paneId)).toBeUndefined()
    expect(await bench.multiplexer.inspect(worker.paneId)).toMatchObject({
      agentId: worker.agentId,
      pid: worker.pid,
      name: 'the worker',
      dead: false,
    })
    expect(await bench.multiplexer.paste(worker.paneId, 'it goes on')).toEqual({ kind: 'typed' })
    await waitFor('the paste', () => worker.recorded().includes('it goes on'))

    for (const { paneId } of [doomed, worker]) await bench.multiplexer.close(paneId)
    expect(await bench.multiplexer.list()).toEqual([])
    const again = await bench.open({ beside: parent.paneId, argv: ['/bin/cat'] })
    expect(await bench.multiplexer.list()).toMatchObject([{ paneId: again.paneId, dead: false }])
  })
}
