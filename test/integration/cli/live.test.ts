import { spawn, type ChildProcess } from 'node:child_process'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad()
})
afterAll(() => tree.stop())

interface Running {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<number | null>
}

function start(...argv: string[]): Running {
  let text = ''
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: tree.repository.path,
    env: { ...tree.repository.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.on('data', (chunk) => (text += String(chunk)))
  // Closed, not only ended: by then all that it said has been read.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => text, ended }
}

describe('what goes on until Ctrl-C', () => {
  it('events --follow reports what happens, also across a restart of the daemon, and ends well', async () => {
    const following = start('events', '--follow', '--json', '--last', '1')
    await waitFor('the newest event', () => following.output().includes('\n'))
    await tree.run(['note', 'before'])
    await waitFor('the note', () => following.output().includes('"before"'))
    await tree.run(['daemon', 'stop'])
    await tree.run(['note', 'after'])
    await waitFor('the note after the restart', () => following.output().includes('"after"'))
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(0)
    const events = following
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string })
    expect(events.map(({ seq }) => seq)).toEqual(
      events.map((_event, index) => (events[0]?.seq ?? 0) + index),
    )
  })

  it('tree --watch without a terminal prints the tree and a line per event', async () => {
    const watching = start('tree', '--watch')
    await waitFor('the tree', () => watching.output().includes('AGENT'))
    tree.script('plain', { steps: [] })
    await tree.call('spawn_workers', { specs: [{ name: 'plain', prompt: 'x' }] })
    await waitFor('the spawn', () =>
      /plain +\+ spawned as worker on main\.plain/.test(watching.output()),
    )
    watching.child.kill('SIGINT')
    expect(await watching.ended).toBe(0)
    // oxlint-disable-next-line no-control-regex -- no terminal, no escape sequences
    expect(watching.output()).not.toMatch(/\u001b/)
  })

  it('tree --watch on a terminal redraws in place, rings when a human is needed, and gives the cursor back', async () => {
    // What is said of the one before would ring as well.
    await waitFor('it to rest', async () =>
      ['idle', undefined].includes((await tree.agent('plain'))?.state),
    )
    let text = ''
    const terminal = spawnTerminal(process.execPath, [BIN, 'tree', '--watch'], {
      cols: 100,
      rows: 30,
      cwd: tree.repository.path,
      env: { ...tree.repository.env },
    })
    const ended = new Promise<number>((resolve) =>
      terminal.onExit(({ exitCode }) => resolve(exitCode)),
    )
    onTestFinished(() => terminal.kill('SIGKILL'))
    terminal.onData((data) => (text += data))
    await waitFor('the tree', () => text.includes('AGENT'))
    expect(text).toContain('\u001b[?25l')
    expect(text).not.toContain('\u001b[?1049h')
    expect(text).not.toContain('\u0007')
    const drawn = text.length
    tree.script('shiny', {
      steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?', timeout: 1 } }],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'shiny', prompt: 'x' }] })
    await waitFor('the new agent', () => /─ \S*shiny/.test(text.slice(drawn)))
    await waitFor('the bell', () => text.includes('\u0007'))
    expect(text.slice(drawn)).toMatch(/\u001b\[\d+A\r/)
    terminal.write('\u0003')
    expect(await ended).toBe(0)
    expect(text.trimEnd().endsWith('\u001b[?25h')).toBe(true)
  })

  it('tree --watch scrolls where it does not fit, and ends by q', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      tree.script(name, { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    }
    let text = ''
    const terminal = spawnTerminal(process.execPath, [BIN, 'tree', '--watch'], {
      cols: 100,
      rows: 9,
      cwd: tree.repository.path,
      env: { ...tree.repository.env },
    })
    const ended = new Promise<number>((resolve) =>
      terminal.onExit(({ exitCode }) => resolve(exitCode)),
    )
    onTestFinished(() => terminal.kill('SIGKILL'))
    terminal.onData((data) => (text += data))
    await waitFor('the first agents', () => text.includes('more agents'))
    const drawn = text.length
    terminal.write('\u001b[F')
    await waitFor('the last ones', () => /… \d+ above[^]*─ \S*four/.test(text.slice(drawn)))
    const down = text.length
    terminal.write('\u001b[5~\u001b[H')
    await waitFor('the first ones again', () => text.slice(down).includes('more agents'))
    terminal.write('q')
    expect(await ended).toBe(0)
    expect(text.trimEnd().endsWith('\u001b[?25h')).toBe(true)
  })

  it('log says what happened since, by agent and type, and goes on with --follow', async () => {
    const { since, summary, events } = (await tree.run(['log', '--json'])).json
    expect(Date.now() - since).toBeGreaterThan(86_000_000)
    expect(summary).toMatchObject({ merged: [], failed: [], spent: { tokens: 0 } })
    const types = events.map(({ type }: { type: string }) => type)
    expect(types).toContain('tree.initialized')
    expect(types).not.toContain('agent.state')
    const all = (await tree.run(['log', '--all', '--json'])).json.events
    expect(all.map(({ type }: { type: string }) => type)).toContain('agent.state')
    const notes = await tree.run(['log', '--type', 'note', '--since', '1h', '--agent', 'root'])
    expect(notes.stdout).toMatch(/^Since .* \(1h\)\nmerged +0\nfailed +0\nwaited for you +\S/)
    expect(notes.stdout).toMatch(
      /── \w+ \d+ \w+ ──\n\S+ root +✎ note: before\n\S+ root +✎ note: after\n$/,
    )
    expect(await tree.run(['log', '--since', 'never'])).toMatchObject({ code: 2 })
    expect(await tree.run(['log', '--agent', 'nobody'])).toMatchObject({ code: 1 })
    const following = start('log', '--follow', '--since', '1h', '--type', 'note')
    await waitFor('what was before', () => following.output().includes('note: after'))
    await tree.run(['note', 'later'])
    await waitFor('the note', () => following.output().includes('note: later'))
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(0)
    expect(following.output().split('note: after')).toHaveLength(2)
  })

  it('log goes through the person’s pager where it is longer than the screen', async () => {
    const shown = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
      let text = ''
      const terminal = spawnTerminal(process.execPath, [BIN, 'log', ...argv], {
        cols: 100,
        rows: 10,
        cwd: tree.repository.path,
        env: { ...tree.repository.env, ...env },
      })
      terminal.onData((data) => (text += data))
      const code = await new Promise((resolve) =>
        terminal.onExit(({ exitCode }) => resolve(exitCode)),
      )
      return { code, text }
    }
    const pager = { EXOMONAD_PAGER: 'sed "s/^/[$LESS] /"' }
    expect(await shown(pager)).toMatchObject({ code: 0, text: expect.stringMatching(/\[FRX\] /) })
    for (const whole of [
      await shown(pager, '--no-pager'),
      await shown(pager, '--type', 'tree.initialized'),
      await shown({ EXOMONAD_PAGER: 'no-such-pager' }),
    ]) {
      expect(whole.code).toBe(0)
      expect(whole.text).toContain('merged')
      expect(whole.text).not.toContain('[FRX]')
    }
  })

  it('has no colours with NO_COLOR or --no-color, and has them otherwise', async () => {
    const shown = async (
      argv: readonly string[],
      env: Readonly<Record<string, string>>,
    ): Promise<string> => {
      let text = ''
      const terminal = spawnTerminal(process.execPath, [BIN, ...argv], {
        cols: 100,
        rows: 30,
        cwd: tree.repository.path,
        env: { ...tree.repository.env, ...env },
      })
      terminal.onData((data) => (text += data))
      await new Promise<void>((resolve) => terminal.onExit(() => resolve()))
      return text
    }
    expect(await shown(['tree'], {})).toContain('\u001b[36m')
    expect(await shown(['tree', '--no-color'], {})).not.toContain('\u001b[')
    expect(await shown(['tree'], { NO_COLOR: '1' })).not.toContain('\u001b[')
  })
})
