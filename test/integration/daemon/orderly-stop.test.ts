import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('a daemon that is asked to stop while git runs stops in order, and leaves no file and no host', async () => {
  // A git that takes as long as the test wants over what a snapshot of a worktree begins with.
  const bin = mkdtempSync(join(tmpdir(), 'exomonad-slow-git-'))
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }))
  const [slow, runs] = [join(bin, 'slow'), join(bin, 'runs')]
  const real =
    (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'git'))) ?? ''
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case " $* " in *" add --all "*) while [ -e '${slow}' ]; do : > '${runs}'; sleep 0.05; done;; esac
exec '${join(real, 'git')}' "$@"
`,
    { mode: 0o755 },
  )
  const tree = await startExomonad({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
  onTestFinished(() => tree.stop())
  await tree.call('spawn_background_task', {
    command: 'while [ ! -e go ]; do sleep 0.05; done; mv go made',
  })
  const pid = await tree.daemonPid()
  writeFileSync(slow, '')
  onTestFinished(() => rmSync(slow, { force: true }))
  writeFileSync(join(tree.repository.path, 'go'), '')
  await waitFor('git to run', () => existsSync(runs))

  process.kill(pid, 'SIGTERM')
  await waitFor(
    'the daemon to close its socket',
    () => !existsSync(join(tree.state, 'daemon.sock')),
  )
  rmSync(slow)
  await waitFor('the daemon to end', () => !isThere(pid))

  expect(existsSync(join(tree.repository.path, '.git', 'exomonad-snapshot-index'))).toBe(false)
  expect(existsSync(join(tree.state, 'detached-host.sock'))).toBe(false)
  expect((await tree.events()).map(({ type }) => type)).toContain('daemon.stopped')
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
