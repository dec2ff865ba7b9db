import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createHostedTerminal } from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { roomFor } from '../../../src/adapters/terminals/tmux/beside.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { exec } from '../../helpers/exec.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench, Opened } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

export function describeTmuxLayout(bench: Bench): void {
  const tmux = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'tmux',
      ['-u', '-L', socketNameOf(bench.folder), ...args],
      { env: scrubbedEnvironment(bench.folder) },
    )
    return stdout.trim()
  }
  const of = (pane: Opened, format: string) =>
    tmux('display-message', '-p', '-t', pane.paneId, format)
  const openBeside = (parent: Opened, name = 'worker') =>
    bench.open({ name, beside: parent.paneId, argv: ['/bin/cat'] })

  it.each([
    { columns: 200, rows: 50 },
    { columns: 130, rows: 30 },
    { columns: 80, rows: 24 },
  ])(
    'fills a window of $columns×$rows as far as every pane stays readable, also by spawns at once, and then opens others',
    async ({ columns, rows }) => {
      const parent = await bench.open({ columns, rows, argv: ['/bin/cat'] })
      const workers = await Promise.all(
        Array.from({ length: 12 }, () =>
          bench.open({ columns, rows, beside: parent.paneId, argv: ['/bin/cat'] }),
        ),
      )
      const places = await Promise.all(
        [parent, ...workers].map(
          async (pane) =>
            await of(
              pane,
              '#{window_id} #{pane_width} #{pane_height} #{window_width} #{window_height}',
            ),
        ),
      )
      const sizes = Map.groupBy(
        places.map((place) => place.split(' ')),
        ([window]) => window,
      )
      const [shared = [], ...alone] = [...sizes.values()]
      expect(shared).toHaveLength(roomFor(columns, rows))
      expect(alone.every((panes) => panes.length === 1)).toBe(true)
      for (const [, width, height, ...window] of [...sizes.values()].flat()) {
        expect(Number(width)).toBeGreaterThanOrEqual(60)
        expect(Number(height)).toBeGreaterThanOrEqual(12)
        expect(window.map(Number)).toEqual([columns, rows])
      }
    },
  )

  it('leaves the active pane and the window that a person looks at as they are, also where one fills its window', async () => {
    const parent = await bench.open({ columns: 200, rows: 50, argv: ['/bin/cat'] })
    await openBeside(parent)
    const elsewhere = await bench.open({ argv: ['/bin/cat'] })
    await tmux('select-window', '-t', elsewhere.paneId)
    await tmux('resize-pane', '-Z', '-t', parent.paneId)
    const last = await openBeside(parent)
    const view = () =>
      of(parent, '#{window_panes} #{pane_active} #{window_zoomed_flag} #{window_active}')
    expect(await view()).toBe('3 1 1 0')
    await bench.multiplexer.close(last.paneId)
    expect(await view()).toBe('2 1 1 0')
    expect(await of(elsewhere, '#{window_active}')).toBe('1')
  })

  it('shows the pane that was attached to where another one fills the window', async () => {
    const parent = await bench.open({
      columns: 200,
      rows: 50,
      argv: ['/bin/sh', '-c', 'echo the parent; exec cat'],
    })
    const worker = await bench.open({
      beside: parent.paneId,
      argv: ['/bin/sh', '-c', 'echo the worker; exec cat'],
    })
    await tmux('resize-pane', '-Z', '-t', parent.paneId)
    const argv = bench.multiplexer.attachCommand(worker.paneId) ?? []
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...scrubbedEnvironment(''), TERM: 'xterm-256color' },
      columns: 200,
      rows: 51,
      onOutput: () => undefined,
    })
    try {
      await waitFor('the worker', async () => (await person.capture(0)).includes('the worker'))
      await waitFor(
        'it to be the active one',
        async () => (await of(worker, '#{pane_active}')) === '1',
      )
    } finally {
      person.dispose()
    }
  })

  it('opens exactly one pane when answers are lost', async () => {
    const parent = await bench.open({ columns: 200, rows: 50, argv: ['/bin/cat'] })
    const binary = join(bench.folder, 'tmux-in-the-way')
    const real = (await promisify(execFile)('sh', ['-c', 'command -v tmux'])).stdout.trim()
    // From the third line on (after the connection is set up) everything reaches tmux and no answer
    // comes back.
    writeFileSync(
      binary,
      `#!/bin/sh\nfor word; do [ "$word" = -C ] && { '${real}' "$@" | { head -n 8; exec cat > /dev/null; }; exit; }; done\nexec '${real}' "$@"\n`,
    )
    chmodSync(binary, 0o755)
    for (const name of ['one', 'two', 'three']) {
      const environment = scrubbedEnvironment(bench.folder)
      const multiplexer = createTmux({
        socketName: socketNameOf(bench.folder),
        environment,
        log: silentLog(),
        exec,
        binary,
        controlTimeout: 300,
        closeGrace: 500,
      })
      try {
        await multiplexer.start()
        const pane = {
          agentId: newAgentId(),
          name,
          cwd: bench.folder,
          env: {},
          argv: ['/bin/cat'],
          columns: 80,
          rows: 24,
        }
        const { paneId } = await multiplexer.open({ ...pane, beside: parent.paneId })
        expect(await tmux('display-message', '-p', '-t', paneId, '#{window_id} #{@agent_id}')).toBe(
          `${await of(parent, '#{window_id}')} ${pane.agentId}`,
        )
      } finally {
        await multiplexer.dispose()
      }
    }
    expect((await bench.multiplexer.list()).map(({ name }) => name)).toEqual([
      'agent',
      'one',
      'two',
      'three',
    ])
  })

  it('names windows after their first pane, and each pane of several by a line above it', async () => {
    const parent = await bench.open({ name: 'main', argv: ['/bin/cat'] })
    const border = () => of(parent, '#{pane-border-status}')
    expect(await border()).toBe('off')
    const worker = await openBeside(parent, 'main.one')
    expect(await border()).toBe('top')
    await bench.multiplexer.rename(worker.paneId, 'main.one ○ idle')
    expect(await of(parent, '#{window_name}')).toBe('main')
    await bench.multiplexer.rename(parent.paneId, 'main ◐ running')
    expect(await of(worker, '#{window_name}')).toBe('main ◐ running')
    await bench.multiplexer.close(parent.paneId)
    expect(await of(worker, '#{window_name}|#{pane-border-status}|#{pane_height}')).toBe(
      'main.one ○ idle|off|30',
    )
    await bench.multiplexer.close(worker.paneId)
    expect(await tmux('list-windows', '-t', '=exomonad', '-F', '#{window_name}')).toBe('exomonad')
  })

  it('opens in a window of its own where tmux does not give the room, and leaves nothing behind', async () => {
    const parent = await bench.open({ argv: ['/bin/cat'] })
    // A person's own pane, so high that nothing fits below.
    const own = await tmux(
      'split-window',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-l',
      '27',
      '-t',
      parent.paneId,
      'cat',
    )
    await tmux('resize-window', '-t', own, '-x', '70', '-y', '30')
    const worker = await openBeside(parent)
    expect(await of(worker, '#{window_panes}')).toBe('1')
    expect(await of(parent, '#{window_panes}')).toBe('2')
    expect((await bench.multiplexer.list()).filter(({ agentId }) => agentId !== null)).toHaveLength(
      2,
    )
  })

  it('adopts panes that were opened before panes had names of their own', async () => {
    const parent = await bench.open({ name: 'older', argv: ['/bin/cat'] })
    await tmux('set-option', '-p', '-u', '-t', parent.paneId, '@name')
    expect((await bench.multiplexer.inspect(parent.paneId))?.name).toBe('older')
    const worker = await openBeside(parent)
    await bench.multiplexer.rename(worker.paneId, 'newer')
    expect((await bench.multiplexer.list()).map(({ name }) => name)).toEqual(['older', 'newer'])
  })

  it('survives that all panes of a window end at once', async () => {
    const server = await tmux('display-message', '-p', '#{pid}')
    for (let round = 0; round < 5; round += 1) {
      const parent = await bench.open({ columns: 200, rows: 50, argv: ['sleep', '600'] })
      const workers = await Promise.all(Array.from({ length: 6 }, () => openBeside(parent)))
      await Promise.all([parent, ...workers].map(({ paneId }) => bench.multiplexer.close(paneId)))
      await waitFor('all to be gone', async () => (await bench.multiplexer.list()).length === 0)
    }
    expect(await tmux('display-message', '-p', '#{pid}')).toBe(server)
  })
}
