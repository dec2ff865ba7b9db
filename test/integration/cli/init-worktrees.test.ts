import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../../src/config/load.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** What init says of folders that git ignores and work needs. */

async function start() {
  const tree = await startExomonad({
    init: false,
    files: {
      '.gitignore': 'node_modules/\n/target\n.venv/\nvendor/\n',
      'package-lock.json': '{}',
      'Cargo.lock': '',
      'requirements.txt': '',
    },
  })
  onTestFinished(() => tree.stop())
  const write = (path: string, bytes = 10): void => {
    const place = join(tree.repository.path, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, 'x'.repeat(bytes))
  }
  write('node_modules/one/index.js', 3_000_000)
  write('node_modules/one/other.js')
  write('packages/a/node_modules/two/index.js')
  write('target/debug/program', 2_000_000)
  write('.venv/bin/python')
  // No lockfile says what it is.
  write('vendor/thing')
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  // Init is to make it.
  rmSync(file, { force: true })
  return { tree, config: () => readFileSync(file, 'utf8') }
}

it('it is proposed with size and time, and written only where somebody agrees', async () => {
  const { tree, config } = await start()
  const said = await tree.run(['init', '--no-prepare-agents'])
  expect(said.code).toBe(0)
  expect(said.stdout).toMatch(
    /^ +worktrees +4 files checked out by \d process(?:es)?; (?:copy-on-write works here|no copy-on-write on this file system)$/m,
  )
  expect(said.stdout).toMatch(
    /without node_modules \(of package-lock\.json: \d MB, 2 files, copied in (?:\d+\.\d|more than 5) s\)/,
  )
  expect(said.stdout).toMatch(/without target \(of Cargo\.lock: \d MB, 1 files, /)
  expect(said.stdout).toContain('--prepare-worktrees')
  expect(said.stdout).not.toContain('vendor')
  expect(config()).not.toMatch(/^\[+worktree/m)
  const trash = join(tree.state, 'trash')
  expect(existsSync(trash) ? readdirSync(trash) : []).toEqual([])

  const { json } = await tree.run(['init', '--no-prepare-agents', '--prepare-worktrees', '--json'])
  expect(json.worktrees).toMatchObject({
    written: true,
    folders: [
      { folder: 'node_modules', files: 2 },
      { folder: '.venv', lockfile: 'requirements.txt' },
      { folder: 'target' },
    ],
  })
  expect(parseConfig(config(), 'config.toml').worktree).toMatchObject({
    include: [{ path: 'target', method: 'reflink' }],
    setup: [
      { run: ['npm', 'ci'], key: ['package-lock.json'], outputs: ['**/node_modules'] },
      // It holds paths of its own folder.
      { run: ['sh', '-c', expect.stringContaining('venv')], key: [], outputs: [] },
    ],
  })
  expect((await tree.run(['doctor'])).stdout).not.toMatch(/not trusted|untrusted/)

  // What is configured already is nobody's to propose.
  const again = await tree.run(['init', '--no-prepare-agents', '--prepare-worktrees', '--json'])
  expect(again.json.worktrees).toEqual({
    folders: [],
    lines: [],
    written: false,
    made: expect.objectContaining({ by: 'checkout', files: 4, pool: 0 }),
  })
  // It is still what init made, so that it goes with it.
  expect((await tree.run(['deinit'])).code).toBe(0)
  expect(existsSync(join(tree.repository.path, '.exomonad', 'config.toml'))).toBe(false)
})

/** `exomonad init` on a terminal, with this answer to its question; returns what it showed. */
async function initOnTerminal(tree: Exomonad, answer: string): Promise<string> {
  let text = ''
  const terminal = spawnTerminal(process.execPath, [BIN, 'init', '--no-prepare-agents'], {
    cols: 120,
    rows: 40,
    cwd: tree.repository.path,
    env: { ...tree.repository.env },
  })
  onTestFinished(() => terminal.kill('SIGKILL'))
  terminal.onData((data) => (text += data))
  const ended = new Promise<number>((resolve) =>
    terminal.onExit(({ exitCode }) => resolve(exitCode)),
  )
  await waitFor('the question', () => text.includes('Do it? [y/N]'), { limit: 60_000 })
  terminal.write(answer)
  expect(await ended).toBe(0)
  return text
}

it('on a terminal it is asked about, with the size, the time and the very lines; Enter is a no', async () => {
  const { tree, config } = await start()
  const asked = await initOnTerminal(tree, '\r')
  expect(asked).toMatch(
    /node_modules \(of package-lock\.json: \d MB, 2 files, copied in (?:\d+\.\d|more than 5) s\)/,
  )
  expect(asked).toContain('key = ["package-lock.json"]')
  expect(config()).not.toMatch(/^\[+worktree/m)

  const agreed = await initOnTerminal(tree, 'y\r')
  expect(agreed).toContain('new worktrees get node_modules')
  expect(parseConfig(config(), 'config.toml').worktree.setup).toHaveLength(2)
})
