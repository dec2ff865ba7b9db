import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sweepRuns } from '../../../../../src/adapters/forge/local/leftovers.ts'
import type { Git } from '../../../../../src/adapters/git/git.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

const started = () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { pid: child.pid ?? 0, ended: once(child, 'exit') }
}

it('what a run left is ended also where a look misses it', async () => {
  const ciWork = mkdtempSync(join(tmpdir(), 'runs-'))
  onTestFinished(() => rmSync(ciWork, { recursive: true }))
  const folder = join(ciWork, 'one')
  mkdirSync(folder)
  const [seen, missed] = [started(), started()]
  const looks = [[seen.pid], [], [missed.pid]]
  const git = { removeWorktree: async () => {} } as Partial<Git> as Git
  await sweepRuns({ git, ciWork, log: silentLog(), find: async () => looks.shift() ?? [] })
  expect([await seen.ended, await missed.ended]).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ])
  expect(existsSync(folder)).toBe(false)
})
