import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createViewed } from '../../src/adapters/terminals/viewed.ts'
import { createZellijViewer } from '../../src/adapters/terminals/zellij/zellij.ts'
import { newAgentId } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { isAlive } from '../helpers/processes.ts'
import { runProgram } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { useViewerBench, type HolderKind } from './viewer/bench.ts'

/**
 * What a viewer does (src/adapters/terminals/viewer.ts), with a real one, real terminals and
 * programs.
 */
export function describeViewer(kind: HolderKind): void {
  const bench = useViewerBench(kind)
  const sockets = (): string[] =>
    readdirSync(bench.folder, { recursive: true })
      .map(String)
      .filter((path) => path === `contract_version_1/${bench.session}`)

  it('opens a tab for an agent, called as it is, in which what it writes is seen and a message reaches it', async () => {
    const recorder = await bench.openRecorder({ name: 'main.one ◐ running' })
    const view = await bench.isShown(recorder.paneId)
    expect(view.tabName).toBe('main.one ◐ running')
    await bench.comes(recorder.paneId, 'recorder ready')
    expect(await bench.viewed.paste(recorder.paneId, 'a message')).toEqual({ kind: 'typed' })
    await waitFor('the message', () => recorder.recorded().includes('a message'))
    await bench.viewed.rename(recorder.paneId, 'main.one "✓" done\\')
    await waitFor(
      'its tab to be called so',
      async () => (await bench.views(recorder.paneId))[0]?.tabName === 'main.one "✓" done\\',
    )
    // And the pane, where it shares a tab.
    await waitFor('its pane to be called so', async () =>
      (await bench.views(recorder.paneId))[0]?.title.includes('main.one "✓" done\\'),
    )
  })

  it('opens it beside another as long as there is room, and the rest in tabs of their own', async () => {
    const parent = await bench.open({ name: 'parent', argv: ['/bin/cat'] })
    const workers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        bench.open({ name: `w${index}`, beside: parent.paneId, argv: ['/bin/cat'] }),
      ),
    )
    const lost = await bench.open({ name: 'lost', beside: `x'; "y` as never, argv: ['/bin/cat'] })
    const { tab, tabName } = await bench.isShown(parent.paneId)
    const seen = await Promise.all(workers.map(({ paneId }) => bench.isShown(paneId)))
    const beside = seen.filter((view) => view.tab === tab).length
    expect(beside).toBeGreaterThanOrEqual(2)
    expect(beside).toBeLessThan(12)
    expect(tabName).toBe('parent')
    expect((await bench.isShown(lost.paneId)).tabName).toBe('lost')
    const [worker] = workers
    if (worker === undefined) throw new Error('twelve were opened')
    expect((await bench.isShown(worker.paneId)).title).toBe('w0')
    await bench.viewed.rename(worker.paneId, 'w0 ✓')
    await waitFor(
      'its pane to be called so',
      async () => (await bench.views(worker.paneId))[0]?.title === 'w0 ✓',
    )
    const all = await bench.holder.list()
    expect(all).toHaveLength(14)
    expect(new Set(all.map(({ paneId }) => paneId)).size).toBe(14)
  })

  it('is called what it was called last, also where that was while it was being opened', async () => {
    const parent = await bench.open({ name: 'parent', argv: ['/bin/cat'] })
    await bench.isShown(parent.paneId)
    const agents = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        bench.open({
          name: `before ${index}`,
          argv: ['/bin/cat'],
          ...(index < 3 && { beside: parent.paneId }),
        }),
      ),
    )
    // One after the other, so that some are renamed while Zellij is making what they are shown in.
    await Promise.all(
      agents.map(async ({ paneId }, index) => {
        await delay(30 * index)
        await bench.viewed.rename(paneId, `after ${index}`)
      }),
    )
    await bench.viewer.settled()
    for (const [index, { paneId }] of agents.entries())
      await waitFor(`after ${index}`, async () =>
        (await bench.views(paneId)).some(({ tabName, title }) =>
          [tabName, title].includes(`after ${index}`),
        ),
      )
  })

  it('a view goes with its pane, and its going takes nothing along', async () => {
    const [kept, closed, shut] = await Promise.all(
      ['kept', 'closed', 'shut'].map((name) => bench.openRecorder({ name })),
    )
    if (kept === undefined || closed === undefined || shut === undefined)
      throw new Error('three were opened')
    const view = await bench.isShown(shut.paneId)
    await Promise.all([kept, closed].map(({ paneId }) => bench.isShown(paneId)))
    await bench.viewed.close(closed.paneId)
    await waitFor('its view to go', async () => (await bench.views(closed.paneId)).length === 0)
    await bench.zellij('close-pane', '--pane-id', view.id)
    await waitFor('the other view to go', async () => (await bench.views(shut.paneId)).length === 0)
    for (const { paneId, recorded, pid } of [kept, shut]) {
      expect(isAlive(pid)).toBe(true)
      expect(await bench.viewed.paste(paneId, 'still')).toEqual({ kind: 'typed' })
      await waitFor('the paste', () => recorded().includes('still'))
    }
    // Nobody opens again what a person closed, but by asking for it.
    const later = await bench.open({ name: 'later', argv: ['/bin/cat'] })
    await bench.viewed.rename(shut.paneId, 'another name')
    await bench.isShown(later.paneId)
    await bench.viewer.settled()
    expect(await bench.views(shut.paneId)).toEqual([])
    expect(await bench.views(kept.paneId)).toHaveLength(1)
    await bench.comes(shut.paneId, 'recorder ready')
    expect(await bench.views(shut.paneId)).toHaveLength(1)
  })

  it.each(['killed', 'without its socket'])(
    'its session %s: the agents go on, and it is there again for who asks for it',
    async (what) => {
      const recorder = await bench.openRecorder({ name: 'one' })
      const other = await bench.open({ name: 'other', argv: ['/bin/cat'] })
      await Promise.all([recorder, other].map(({ paneId }) => bench.isShown(paneId)))
      if (what === 'without its socket')
        for (const path of sockets()) rmSync(join(bench.folder, path))
      else await runProgram('zellij', ['kill-session', bench.session], { env: bench.environment })
      await waitFor('its socket to be gone', () => sockets().length === 0)
      expect(await bench.viewed.paste(recorder.paneId, 'meanwhile')).toEqual({ kind: 'typed' })
      await waitFor('the paste', () => recorder.recorded().includes('meanwhile'))
      expect((await bench.viewed.list()).every(({ dead }) => !dead)).toBe(true)
      await bench.viewed.rename(recorder.paneId, 'renamed')
      await bench.viewer.settled()
      expect(sockets()).toEqual([])
      await bench.comes(recorder.paneId, 'recorder ready')
      expect(await bench.views(other.paneId)).toEqual([])
      const later = await bench.open({ name: 'later', argv: ['/bin/cat'] })
      await bench.isShown(later.paneId)
    },
  )

  it('takes each person to the pane they asked for, and knows that they type, and where', async () => {
    const first = await bench.openRecorder({ name: 'first' })
    const second = await bench.openRecorder({ name: 'second', beside: first.paneId })
    const third = await bench.openRecorder({ name: 'third' })
    await Promise.all([first, second, third].map(({ paneId }) => bench.isShown(paneId)))
    const activeAt = async () =>
      (await bench.viewed.list()).map(({ humanActiveAt }) => humanActiveAt)
    expect(await activeAt()).toEqual([null, null, null])
    for (const { key, one } of [
      { key: '3', one: third },
      { key: '2', one: second },
      { key: '1', one: first },
    ]) {
      const person = await bench.comes(one.paneId, `This is ${one.name}.`)
      const since = Date.now()
      await waitFor('what they type', async () => {
        await person.type(key, { paste: false })
        return (
          one.recorded().includes(key) &&
          ((await bench.viewed.inspect(one.paneId))?.humanActiveAt ?? 0) >= since - 1000
        )
      })
      for (const other of [first, second, third])
        if (other !== one) expect(other.recorded()).not.toContain(key)
      person.dispose()
      await person.end
    }
  })

  it('a view of a person in this session, or in another one, is taken there', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((name) => bench.openRecorder({ name })))
    if (one === undefined || two === undefined) throw new Error('two were opened')
    // A session that is only just starting may not survive what others ask theirs.
    await bench.viewer.settled()
    const env = { ZELLIJ_SOCKET_DIR: bench.folder }
    const theirs = [
      'zellij',
      'attach',
      '--create',
      'theirs',
      'options',
      '--show-startup-tips',
      'false',
      '--show-release-notes',
      'false',
    ]
    const fromTheirs = async () => {
      const person = bench.person(theirs, undefined, env)
      await waitFor('a shell', async () => {
        await person.type(`echo re''ady\r`, { paste: false })
        return person.ended !== undefined || (await person.capture(0)).includes('\nready')
      })
      const argv = await bench.viewed.show(one.paneId, 'theirs')
      await person.type(
        `clear; ${argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}\r`,
        { paste: false },
      )
      return person
    }
    try {
      const person = await bench.stays(fromTheirs, 'recorder ready')
      await waitFor('what they type', async () => {
        await person.type('x', { paste: false })
        return one.recorded().includes('x')
      })
      expect(two.recorded()).not.toContain('x')
      const argv = await bench.viewed.show(two.paneId, bench.session)
      expect(argv.slice(1)).toEqual([
        'action',
        'focus-pane-id',
        (await bench.isShown(two.paneId)).id,
      ])
      await runProgram(argv[0] ?? '', argv.slice(1), {
        env: { ...bench.environment, ZELLIJ: '0', ZELLIJ_SESSION_NAME: bench.session },
      })
      await waitFor('what they type', async () => {
        await person.type('y', { paste: false })
        return two.recorded().includes('y')
      })
    } finally {
      await runProgram('zellij', ['delete-session', '--force', 'theirs'], {
        env: bench.environment,
      })
    }
  })

  it('passes on colours, what the mouse does, and pastes; and can be scrolled back', async () => {
    const words = String.raw`printf '\033[?1000h\033[?1006h\033[?2004h\033[38;2;1;2;3mcoloured\033[0m\r\n'; for i in $(seq 1 80); do echo line $i; sleep 0.02; done; stty raw -echo; exec cat -v`
    const { paneId } = await bench.open({
      argv: ['/bin/sh', '-c', `echo waits; read -r line; ${words}`],
    })
    const view = await bench.isShown(paneId)
    const person = await bench.comes(paneId, 'waits')
    await waitFor('it to begin', async () => {
      await person.type('\r', { paste: false })
      return (await bench.holder.capture(paneId)).includes('line 80')
    })
    await bench.sees(person, 'line 80')
    await waitFor('a click', async () => {
      await person.type('\u001B[<0;5;5M\u001B[<0;5;5m', { paste: false })
      return /\^\[\[<0;\d+;\d+M/.test(await bench.holder.capture(paneId))
    })
    await person.type('pasted', { paste: true })
    await waitFor('a paste', async () =>
      (await bench.holder.capture(paneId)).includes('^[[200~pasted^[[201~'),
    )
    if (kind === 'headless') return
    await waitFor('the beginning', async () =>
      /38;2;1;2;3m[^\n]*coloured/.test(
        await bench.zellij('dump-screen', '--pane-id', view.id, '--full', '--ansi'),
      ),
    )
  })

  describe('a daemon that comes after', () => {
    it('finds the views there are, names them, and opens none anew', async () => {
      const { paneId } = await bench.open({ name: 'one', argv: ['/bin/cat'] })
      await bench.isShown(paneId)
      const other = bench.another()
      await other.start()
      await other.rename(paneId, 'one of before')
      await waitFor(
        'its tab to be called so',
        async () => (await bench.views(paneId))[0]?.tabName === 'one of before',
      )
      await other.show(paneId)
      expect(await bench.views(paneId)).toHaveLength(1)
    })

    it('ends session and views with the terminals, and leaves nothing', async () => {
      const { paneId, pid } = await bench.open({ argv: ['/bin/cat'] })
      await bench.isShown(paneId)
      const other = bench.another()
      await other.shutdown()
      expect(isAlive(pid)).toBe(false)
      await waitFor('the session to be gone', () => sockets().length === 0)
      expect(existsSync(join(bench.folder, 'zellij'))).toBe(false)
    })
  })

  it('trouble with it is no agent’s: it runs, and who asks for it sees its terminal without', async () => {
    const environment = { ...bench.environment, PATH: join(bench.folder, 'nothing') }
    const viewer = createZellijViewer({
      session: 'none',
      former: 'none',
      stateDir: join(bench.folder, 'none'),
      environment,
      log: silentLog(),
    })
    const viewed = createViewed({ holder: bench.holder, viewer, log: silentLog() })
    const opened = await viewed.open({
      agentId: newAgentId(),
      name: 'x',
      cwd: bench.folder,
      env: {},
      argv: ['/bin/cat'],
      columns: 80,
      rows: 24,
    })
    await viewer.settled()
    expect(isAlive(opened.pid)).toBe(true)
    expect(await viewed.show?.(opened.paneId)).toEqual(bench.holder.attachCommand(opened.paneId))
    await viewer.dispose()
    expect(existsSync(join(bench.folder, 'none'))).toBe(false)
    expect(process.exitCode).toBeUndefined()
  })
}
