import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createHostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { asPaneId, newAgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment } from './create.ts'
import { tmuxOf } from './tmux-program.ts'

export function describeTmuxOnly(bench: Bench): void {
  const { tmux, withProgram } = tmuxOf(bench)

  it('does not type while a person scrolls in copy mode', async () => {
    const recorder = await bench.openRecorder()
    await tmux('copy-mode', '-t', recorder.paneId)
    expect((await bench.multiplexer.inspect(recorder.paneId))?.inMode).toBe(true)
    const busy = { kind: 'busy', reason: 'the pane is in copy mode' }
    expect(await bench.multiplexer.paste(recorder.paneId, 'text')).toEqual(busy)
    expect(await bench.multiplexer.pressEnter(recorder.paneId)).toEqual(busy)
    await tmux('copy-mode', '-q', '-t', recorder.paneId)
    expect(await bench.multiplexer.paste(recorder.paneId, 'after')).toEqual({ kind: 'typed' })
    await waitFor('the paste', () => recorder.recorded().includes('after'))
    expect(recorder.recorded()).not.toContain('text')
    expect(await tmux('list-buffers')).toBe('')
  })

  it('reads from each pane through a pipe, without which tmux drops what ended programs wrote', async () => {
    const parent = await bench.open({ argv: ['/bin/cat'] })
    const beside = await bench.open({ argv: ['/bin/cat'], beside: parent.paneId })
    for (const { paneId } of [parent, beside])
      expect(await tmux('display-message', '-p', '-t', paneId, '#{pane_pipe}')).toBe('1')
  })

  it('does not type where input is switched off', async () => {
    const recorder = await bench.openRecorder()
    await tmux('select-pane', '-d', '-t', recorder.paneId)
    expect(await bench.multiplexer.paste(recorder.paneId, 'text')).toMatchObject({ kind: 'busy' })
  })

  it('switches there when attached to from inside a client of the same server', async () => {
    const first = await bench.open({ argv: ['/bin/sh', '-c', 'echo first pane; exec cat'] })
    const second = await bench.open({ argv: ['/bin/sh', '-c', 'echo second pane; exec cat'] })
    // A pane that somebody opened beside each, and that is the active one since.
    for (const { paneId } of [first, second]) await tmux('split-window', '-t', paneId, 'cat')
    const isActive = async ({ paneId }: { paneId: string }) =>
      (await tmux('display-message', '-p', '-t', paneId, '#{window_active}#{pane_active}')) === '11'
    const argv = bench.multiplexer.attachCommand(first.paneId) ?? []
    // It can be read and pasted.
    expect(argv.join(' ')).not.toContain('\n')
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color' },
      columns: 90,
      rows: 25,
      onOutput: () => undefined,
    })
    try {
      await waitFor('the first pane', async () => (await person.capture(0)).includes('first pane'))
      await waitFor('it to be the active one', () => isActive(first))
      const inside = {
        ...scrubbedEnvironment(bench.folder),
        TMUX: await tmux('display-message', '-p', '#{socket_path},#{pid},0'),
      }
      const [file = '', ...args] = bench.multiplexer.attachCommand(second.paneId) ?? []
      await promisify(execFile)(file, args, { env: inside })
      await waitFor('the second pane', async () =>
        (await person.capture(0)).includes('second pane'),
      )
      await waitFor('it to be the active one', () => isActive(second))
    } finally {
      person.dispose()
    }
  })

  it('survives windows and sessions that people make, and does not count them as agents', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await tmux('new-window', '-d', '-t', '=exomonad:', 'cat')
    await tmux('new-session', '-d', '-s', 'own', 'cat')
    await tmux('split-window', '-d', '-t', paneId, 'cat')
    const panes = await bench.multiplexer.list()
    expect(panes.filter(({ agentId }) => agentId !== null).map((pane) => pane.paneId)).toEqual([
      paneId,
    ])
    await bench.multiplexer.close(paneId)
    expect(await bench.multiplexer.inspect(paneId)).toBeUndefined()
  })

  it('reports a pane that a person kills, within a second or so', async () => {
    const deaths: unknown[] = []
    bench.multiplexer.onDeath((death) => deaths.push(death))
    const { paneId, agentId } = await bench.open({ argv: ['/bin/cat'] })
    await tmux('kill-pane', '-t', paneId)
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([{ paneId, agentId, exitCode: null, exitSignal: null }])
  })

  it('reports all deaths when the server is killed, lists nothing, and opens again', async () => {
    const deaths: string[] = []
    bench.multiplexer.onDeath(({ paneId }) => deaths.push(paneId))
    const opened = await Promise.all(
      [1, 2, 3].map(async () => await bench.open({ argv: ['/bin/cat'] })),
    )
    process.kill(Number(await tmux('display-message', '-p', '#{pid}')), 'SIGKILL')
    await waitFor('the deaths', () => deaths.length === 3)
    expect(deaths.toSorted()).toEqual(opened.map(({ paneId }) => paneId).toSorted())
    expect(await bench.multiplexer.list()).toEqual([])
    expect(await bench.multiplexer.paste(opened[0]?.paneId ?? ('' as never), 'text')).toEqual({
      kind: 'gone',
    })
    const again = await bench.open({ argv: ['/bin/sh', '-c', 'sleep 0.1; exit 4'] })
    await waitFor('the next death', () => deaths.length === 4)
    expect(deaths[3]).toBe(again.paneId)
  })

  it('starts no server to connect again or to attach, and one without the person’s configuration for the next pane', async () => {
    const [read, tries] = [join(bench.folder, 'read'), join(bench.folder, 'tries')]
    writeFileSync(
      join(bench.folder, '.tmux.conf'),
      `run-shell "echo x >> '${read}'"\nset -s exit-empty off\nset -g base-index 5\n`,
    )
    const script = `for word; do [ "$word" = -C ] && { "$REAL" "$@"; echo $? >> '${tries}'; exit; }; done\nexec "$REAL" "$@"`
    await withProgram(script, async (multiplexer) => {
      await multiplexer.start()
      await tmux('kill-server')
      // The client that was cut off, and two in its place.
      await waitFor('it to try again', () => readFileSync(tries, 'utf8').split('\n').length > 3)
      const [shell = '', ...args] = multiplexer.attachCommand(asPaneId('%0')) ?? []
      await expect(
        promisify(execFile)(shell, args, { env: scrubbedEnvironment(bench.folder) }),
      ).rejects.toThrow(/no server running|error connecting/)
      await expect(tmux('list-sessions')).rejects.toThrow(/no server running|error connecting/)
      const { paneId } = await multiplexer.open({
        agentId: newAgentId(),
        name: 'x',
        cwd: bench.folder,
        env: {},
        argv: ['/bin/cat'],
        columns: 80,
        rows: 24,
      })
      expect(await multiplexer.inspect(paneId)).toMatchObject({ paneId, dead: false })
      expect(await tmux('show-options', '-gv', 'base-index')).toBe('0')
      expect(existsSync(read)).toBe(false)
    })
  })

  it('connects again when its control client is detached, and reports deaths from then on and in between', async () => {
    const deaths: string[] = []
    bench.multiplexer.onDeath(({ paneId }) => deaths.push(paneId))
    const recorder = await bench.openRecorder()
    const doomed = await bench.open({ argv: ['/bin/cat'] })
    const detached = new Set<string>()
    for (let round = 0; round < 3; round += 1) {
      // One that was asked to go may be listed for a moment still.
      const client = await waitFor('the control client', async () =>
        (await tmux('list-clients', '-F', '#{client_name}'))
          .split('\n')
          .find((name) => name !== '' && !detached.has(name)),
      )
      detached.add(client)
      await tmux('detach-client', '-t', client)
      expect(await bench.multiplexer.paste(recorder.paneId, `round ${String(round)}`)).toEqual({
        kind: 'typed',
      })
      if (round === 0) process.kill(doomed.pid, 'SIGKILL')
    }
    await waitFor('the pastes', () => recorder.recorded().includes('round 2'))
    expect(recorder.recorded().match(/round \d/g)).toEqual(['round 0', 'round 1', 'round 2'])
    await waitFor('the death', () => deaths.length > 0)
    expect(deaths).toEqual([doomed.paneId])
  })

  it('works by spawned commands when the control client hangs', async () => {
    await withProgram(
      'for word; do [ "$word" = -C ] && exec sleep 1000; done\nexec "$REAL" "$@"',
      async (multiplexer) => {
        await multiplexer.start()
        const recorder = await bench.openRecorder()
        const deaths: string[] = []
        multiplexer.onDeath(({ paneId }) => deaths.push(paneId))
        expect(await multiplexer.paste(recorder.paneId, 'it\'s "quoted"\n; $HOME é')).toEqual({
          kind: 'typed',
        })
        await waitFor('the paste', () => recorder.recorded().endsWith('\u001B[201~'))
        expect(recorder.recorded()).toBe('\u001B[200~it\'s "quoted"\n; $HOME é\u001B[201~')
        const { paneId } = await multiplexer.open({
          agentId: recorder.agentId,
          name: 'x',
          cwd: bench.folder,
          env: { A: '1' },
          argv: ['/bin/cat'],
          columns: 80,
          rows: 24,
        })
        expect(await multiplexer.inspect(paneId)).toMatchObject({ paneId, dead: false })
        await multiplexer.close(paneId)
        await waitFor('the death', () => deaths.includes(paneId))
      },
    )
  })

  it('pastes and opens exactly once when answers are lost', async () => {
    // Everything reaches tmux, and from the third line on (after the connection is set up) no
    // answer comes back.
    const script = `for word; do [ "$word" = -C ] && { "$REAL" "$@" | { head -n 8; exec cat > /dev/null; }; exit; }; done\nexec "$REAL" "$@"`
    const recorder = await bench.openRecorder()
    for (let round = 0; round < 3; round += 1) {
      await withProgram(script, async (multiplexer) => {
        await multiplexer.start()
        expect(await multiplexer.paste(recorder.paneId, `round ${String(round)}`)).toEqual({
          kind: 'typed',
        })
        await multiplexer.open({
          agentId: recorder.agentId,
          name: `round-${String(round)}`,
          cwd: bench.folder,
          env: {},
          argv: ['/bin/cat'],
          columns: 80,
          rows: 24,
        })
      })
    }
    await waitFor('the pastes', () => recorder.recorded().includes('round 2'))
    expect(recorder.recorded().match(/round \d/g)).toEqual(['round 0', 'round 1', 'round 2'])
    const names = (await bench.multiplexer.list())
      .map(({ name }) => name)
      .filter((name) => name.startsWith('round'))
    expect(names.toSorted()).toEqual(['round-0', 'round-1', 'round-2'])
  })

  it('says what to do where tmux is missing or too old', async () => {
    const environment = { ...scrubbedEnvironment(bench.folder), PATH: bench.folder }
    const missing = createTmux({ socketName: 'none', environment, log: silentLog() })
    await expect(missing.start()).rejects.toMatchObject({
      code: 'MULTIPLEXER_UNAVAILABLE',
      message: expect.stringContaining('Install tmux 3.2') as string,
    })
    await missing.dispose()
    await withProgram('echo "tmux 3.1c"', async (multiplexer) => {
      await expect(multiplexer.start()).rejects.toMatchObject({
        code: 'MULTIPLEXER_UNAVAILABLE',
        message: expect.stringContaining('3.1c is too old') as string,
      })
    })
  })

  it('keeps what a person brings in their environment out of later panes', async () => {
    await bench.open({ argv: ['/bin/cat'] })
    await tmux('set-environment', '-g', '-u', 'SSH_AUTH_SOCK')
    const person = createHostedTerminal({
      argv:
        bench.multiplexer.attachCommand(
          (await bench.multiplexer.list())[0]?.paneId ?? ('' as never),
        ) ?? [],
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '',
        TERM: 'xterm-256color',
        SSH_AUTH_SOCK: '/secret/agent',
        DISPLAY: ':7',
      },
      columns: 90,
      rows: 25,
      onOutput: () => undefined,
    })
    try {
      await waitFor('the person', async () => (await bench.multiplexer.list())[0]?.humanActiveAt)
      const file = join(bench.folder, 'environment')
      await bench.open({ argv: ['/bin/sh', '-c', 'env > "$0~"; mv "$0~" "$0"', file] })
      const environment = await waitFor('the environment', () => readFileSync(file, 'utf8'))
      expect(environment).not.toMatch(/SSH_AUTH_SOCK|DISPLAY/)
    } finally {
      person.dispose()
    }
  })

  it('survives the end of all agents at once', async () => {
    // tmux 3.3a crashes where a session loses its last window while a control client listens: all
    // agents with it.
    const server = await tmux('display-message', '-p', '#{pid}')
    for (let round = 0; round < 8; round += 1) {
      const panes = await Promise.all(
        Array.from({ length: 4 }, () => bench.open({ argv: ['sleep', '600'] })),
      )
      await Promise.all(panes.map(({ paneId }) => bench.multiplexer.close(paneId)))
      expect(await bench.multiplexer.list()).toEqual([])
    }
    expect(await tmux('display-message', '-p', '#{pid}')).toBe(server)
  })
}
