import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSession } from '../../../../../src/adapters/terminals/zellij/session.ts'
import type { Exec } from '../../../../../src/processes/exec.ts'

it('a session that is left while it is asked for is given up, and none begins', async () => {
  const tmp = mkdtempSync(join(tmpdir(), 'left-'))
  onTestFinished(() => rmSync(tmp, { recursive: true }))
  const left = new AbortController()
  const asked: string[] = []
  const exec: Exec = async (_file, args, options) => {
    asked.push(args.join(' '))
    const said = { stdout: '', stderr: '', signal: null, timedOut: false, startError: null }
    if (args[0] === '--version') return { ...said, exitCode: 0, stdout: 'zellij 0.45.1' }
    left.abort()
    expect(options?.signal?.aborted).toBe(true)
    return { ...said, exitCode: 1, stderr: 'There is no active session!' }
  }
  const folder = join(tmp, 'zellij')
  const session = createSession({
    ...{ binary: 'zellij', name: 's', folder, environment: {}, exec, disposed: left.signal },
  })
  const ensured = session.ensure({ columns: 80, rows: 24 })
  await expect(ensured).rejects.toThrow('it is being left')
  await expect(session.action('list-clients')).rejects.toThrow('it is being left')
  expect(asked).toEqual(['--version', '--session s action list-panes --json'])
  expect(existsSync(folder)).toBe(false)
})
