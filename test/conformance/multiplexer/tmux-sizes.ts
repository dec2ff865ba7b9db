import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

/** Sizes in tmux, as far as its windows and sessions have a part in it. */
export function describeTmuxSizes(bench: Bench): void {
  const people: HostedTerminal[] = []
  afterEach(() => {
    for (const person of people.splice(0)) person.dispose()
  })

  const tmux = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'tmux',
      ['-u', '-L', socketNameOf(bench.folder), ...args],
      { env: scrubbedEnvironment(bench.folder) },
    )
    return stdout.trim()
  }
  /** A client of tmux with these arguments. */
  const client = (columns: number, rows: number, argv: readonly string[]): HostedTerminal => {
    const person = createHostedTerminal({
      argv,
      cwd: '/',
      env: { ...scrubbedEnvironment(bench.folder), TERM: 'xterm-256color' },
      columns,
      rows,
      onOutput: () => undefined,
    })
    people.push(person)
    return person
  }
  /**
   * A viewer in a session of its own, without a status line, as one in a pane of another
   * multiplexer is.
   */
  const view = async (
    name: string,
    paneId: string,
    columns: number,
    rows: number,
  ): Promise<HostedTerminal> => {
    await tmux('new-session', '-d', '-s', name, 'exec cat')
    await tmux('set-option', '-t', `=${name}:`, 'status', 'off')
    const viewer = client(columns, rows, [
      'tmux',
      '-u',
      '-L',
      socketNameOf(bench.folder),
      'attach-session',
      '-t',
      `=${name}`,
    ])
    await waitFor('the viewer', async () =>
      (await tmux('list-clients', '-F', '#{client_session}')).includes(name),
    )
    await tmux('link-window', '-k', '-s', paneId, '-t', `=${name}:{start}`)
    return viewer
  }
  const size = (paneId: string) =>
    tmux('display-message', '-p', '-t', paneId, '#{window_width}x#{window_height}')
  const until = async (paneId: string, wanted: string) =>
    await waitFor(`the size ${wanted}`, async () => (await size(paneId)) === wanted)

  it('follows viewers in sessions of their own, a small one of which has no say where somebody else looks until it is typed in', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await view('view-1', paneId, 90, 30)
    await until(paneId, '90x30')
    const small = await view('view-2', paneId, 60, 15)
    // Something else that happens later has been seen to.
    const other = await bench.open({ argv: ['/bin/cat'] })
    await view('view-3', other.paneId, 81, 21)
    await until(other.paneId, '81x21')
    expect(await size(paneId)).toBe('90x30')
    await small.type('x', { paste: false })
    await until(paneId, '80x20')
  })

  it('follows the one who came last where tmux does not say who types (before 3.3)', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await tmux('set-hook', '-g', '-u', 'client-active')
    const first = client(90, 31, bench.multiplexer.attachCommand(paneId) ?? [])
    await until(paneId, '90x30')
    client(110, 36, bench.multiplexer.attachCommand(paneId) ?? [])
    await until(paneId, '110x35')
    await first.resize(95, 31)
    await until(paneId, '95x30')
  })

  it('knows of a person who types into a viewer, and where', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    const other = await bench.open({ argv: ['/bin/cat'] })
    const viewer = await view('view-1', paneId, 90, 30)
    await until(paneId, '90x30')
    const before = Math.floor(Date.now() / 1000) * 1000
    // tmux counts in seconds: what is typed in the one in which the viewer came can't be
    // distinguished from its coming.
    await waitFor('the activity', async () => {
      await viewer.type('x', { paste: false })
      return ((await bench.multiplexer.inspect(paneId))?.humanActiveAt ?? 0) >= before
    })
    expect((await bench.multiplexer.inspect(other.paneId))?.humanActiveAt).toBeNull()
  })

  it('follows with a window of several agents, and gives each its room again', async () => {
    const parent = await bench.open({ columns: 200, rows: 50, argv: ['/bin/cat'] })
    await Promise.all(
      Array.from({ length: 3 }, () =>
        bench.open({ columns: 200, rows: 50, beside: parent.paneId, argv: ['/bin/cat'] }),
      ),
    )
    const places = () =>
      tmux('list-panes', '-t', parent.paneId, '-F', '#{pane_width}x#{pane_height}')
    const before = await places()
    const person = client(90, 31, bench.multiplexer.attachCommand(parent.paneId) ?? [])
    await until(parent.paneId, '90x30')
    person.dispose()
    await until(parent.paneId, '200x50')
    await waitFor('each to have its room', async () => (await places()) === before)
  })

  it('gives a window that is left its own size, and the one that is looked at next the person’s', async () => {
    const first = await bench.open({ argv: ['/bin/cat'] })
    const second = await bench.open({ argv: ['/bin/cat'] })
    client(90, 31, bench.multiplexer.attachCommand(first.paneId) ?? [])
    await until(first.paneId, '90x30')
    await tmux('select-window', '-t', second.paneId)
    await until(second.paneId, '90x30')
    await until(first.paneId, '100x30')
  })

  it('puts right at its start what nobody has put right before', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    const person = client(90, 31, bench.multiplexer.attachCommand(paneId) ?? [])
    await until(paneId, '90x30')
    await tmux('set-hook', '-g', '-u', 'client-detached')
    person.dispose()
    await waitFor(
      'nobody to be there',
      async () => !(await tmux('list-clients', '-F', '#{session_name}')).includes('exomonad'),
    )
    expect(await size(paneId)).toBe('90x30')
    await bench.another().start()
    await until(paneId, '100x30')
  })

  it('opens also where somebody ended the session that nobody looks at', async () => {
    const { paneId } = await bench.open({ argv: ['/bin/cat'] })
    await tmux('kill-session', '-t', '=keeper')
    const later = await bench.open({ argv: ['/bin/cat'] })
    expect((await bench.multiplexer.list()).map((pane) => pane.paneId)).toEqual([
      paneId,
      later.paneId,
    ])
  })
}
