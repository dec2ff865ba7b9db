import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../../src/config/load.ts'
import { startExomonad } from '../../helpers/daemon.ts'

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
    /without node_modules \(of package-lock\.json: \d MB, 2 files, copied in \d+\.\d s\)/,
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
  expect(again.json.worktrees).toEqual({ folders: [], lines: [], written: false })
  // It is still what init made, so that it goes with it.
  expect((await tree.run(['deinit'])).code).toBe(0)
  expect(existsSync(join(tree.repository.path, '.exomonad', 'config.toml'))).toBe(false)
})
