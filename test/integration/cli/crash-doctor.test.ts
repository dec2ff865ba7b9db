import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const [GIT = ''] = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'git'))
  .filter((file) => existsSync(file))

/** A `git` that waits, for as long as its file is there, where `when` (of sh) is true. */
function holdGit(when: string): { path: string; begun: string } {
  const shims = mkdtempSync(join(tmpdir(), 'held-git-'))
  onTestFinished(() => rmSync(shims, { recursive: true }))
  const begun = join(shims, 'begun')
  writeFileSync(
    join(shims, 'git'),
    `#!/bin/sh\nif ${when}; then echo $$ > '${begun}.new'; mv '${begun}.new' '${begun}'; exec sleep 600; fi\nexec '${GIT}' "$@"\n`,
    { mode: 0o755 },
  )
  return { path: `${shims}:${process.env['PATH'] ?? ''}`, begun }
}

/** `exomonad doctor --fix`, killed (SIGKILL) when its git comes to this. */
async function killDoctorWhere(tree: Exomonad, when: string): Promise<void> {
  const held = holdGit(when)
  const child = spawn(process.execPath, [BIN, 'doctor', '--fix'], {
    cwd: tree.repository.path,
    env: { ...tree.repository.env, PATH: held.path },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await waitFor('git to be held', () => existsSync(held.begun) || child.exitCode !== null, {
    limit: 60_000,
  })
  expect(child.exitCode).toBe(null)
  child.kill('SIGKILL')
  await ended
  process.kill(Number(readFileSync(held.begun, 'utf8')), 'SIGKILL')
}

const size = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

it('kill -9 of doctor --fix loses nothing, and the next one finishes what it began', async () => {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const { repository } = tree
  const origin = join(tree.state, 'origin.git')
  // One of before, which holds all of history itself, and a commit that is nowhere else.
  await repository.git('config', 'core.compression', '0')
  await repository.commit({ 'big.txt': 'line\n'.repeat(5_000_000) })
  mkdirSync(tree.state, { mode: 0o700 })
  await repository.gitIn(repository.path, 'init', '-q', '--bare', origin)
  await repository.gitIn(origin, 'config', 'receive.unpackLimit', '1')
  await repository.git('push', '-q', origin, 'main')
  const blob = join(repository.folder, 'alone')
  writeFileSync(blob, 'nowhere else\n')
  const alone = await repository.gitIn(origin, 'hash-object', '-w', blob)
  expect((await tree.run(['init', '--no-prepare-agents'])).code).toBe(0)
  await tree.call('spawn_workers', {
    specs: ['one', 'two'].map((name) => ({ name, prompt: 'x' })),
  })
  expect((await tree.run(['down'])).code).toBe(0)
  const place = (name: string): string => join(repository.path, '.exomonad', 'worktrees', name)
  for (const name of ['one', 'two']) rmSync(place(name), { recursive: true })
  chmodSync(tree.state, 0o755)

  // It borrows already, and nothing was taken out yet.
  const alternates = join(origin, 'objects', 'info', 'alternates')
  await killDoctorWhere(tree, `[ -e '${alternates}' ]`)
  expect(size(join(origin, 'objects'))).toBeGreaterThan(10_000_000)
  expect((await tree.run(['doctor'])).stdout).toContain('was cut off while it took that out')
  // In the middle of what is gone of worktrees.
  await killDoctorWhere(tree, `expr "$*" : '.*worktree remove' > /dev/null`)

  const { json } = await tree.run(['doctor', '--fix', '--json'])
  expect(json.findings.map(({ subject }: { subject: string }) => subject)).not.toContain('objects')
  expect(size(join(origin, 'objects'))).toBeLessThan(1_000_000)
  expect(readdirSync(origin)).not.toContain('exomonad-slimming')
  expect(await repository.gitIn(origin, 'fsck', '--full', '--strict', '--no-dangling')).toBe('')
  expect(await repository.gitIn(origin, 'cat-file', 'blob', alone)).toBe('nowhere else')
  expect(statSync(tree.state).mode & 0o777).toBe(0o700)
  expect(await repository.git('worktree', 'list')).not.toContain('prunable')
  expect(await repository.git('branch', '--list', 'main.*')).toMatch(/main\.one\n.*main\.two/)
  expect((await tree.run(['doctor'])).stdout).not.toContain('--fix')
})
