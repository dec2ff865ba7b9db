import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createConnection,
  type Connection,
} from '../../../../../src/adapters/terminals/tmux/connection.ts'
import { exec } from '../../../../helpers/exec.ts'
import { waitFor } from '../../../../helpers/wait-for.ts'

/**
 * Writes down how it is called. A control client ends once there is a file `in`, anything else once
 * there is a file `made`.
 */
const TMUX = `#!/bin/sh
cd "$(dirname "$0")"
case " $* " in
  *" -C "*) echo control >>calls; until [ -e in ]; do sleep 0.01; done; echo in >>calls ;;
  *) echo command >>calls; until [ -e made ]; do sleep 0.01; done; echo made >>calls ;;
esac
`

describe('the connection to tmux', () => {
  let folder: string
  let connection: Connection
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tmux-connection-'))
    writeFileSync(join(folder, 'tmux'), TMUX, { mode: 0o755 })
    connection = createConnection({
      binary: join(folder, 'tmux'),
      socketName: 'none',
      environment: { PATH: process.env['PATH'] ?? '' },
      exec,
      timeout: 60_000,
      controlTimeout: 60_000,
      log: pino({ level: 'silent' }),
      onChange: () => undefined,
    })
  })
  afterEach(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  const calls = () => {
    try {
      return readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }
  const allow = (what: 'in' | 'made') => {
    writeFileSync(join(folder, what), '')
  }

  it('makes no session while a control client is on its way in', async () => {
    const connected = connection.connect()
    await waitFor('the control client', () => calls().includes('control'))
    const made = connection.apart(() => connection.run(['new-session']))
    allow('made')
    // Would be there first if it had not waited.
    await connection.run(['list-panes'])
    expect(calls()).toEqual(['control', 'command', 'made'])
    allow('in')
    await Promise.all([connected, made])
    expect(calls()).toEqual(['control', 'command', 'made', 'in', 'command', 'made'])
  })

  it.each([
    ['error connecting to /tmp/x (No such file or directory)', 'no-server'],
    ['no server running on /tmp/x', 'no-server'],
    ['error connecting to /tmp/x (Resource temporarily unavailable)', 'unknown'],
    ['error connecting to /tmp/x (Too many open files)', 'unknown'],
  ])('takes "%s" for %s', async (said, kind) => {
    writeFileSync(join(folder, 'tmux'), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 })
    expect(await connection.run(['list-panes'])).toEqual({ kind })
  })

  it('lets no control client in while a session is made', async () => {
    const made = connection.apart(() => connection.run(['new-session']))
    await waitFor('the session', () => calls().includes('command'))
    const connected = connection.connect()
    allow('in')
    // Would come second if it had not waited.
    await connection.run(['-C', 'attach-session'])
    expect(calls()).toEqual(['command', 'control', 'in'])
    allow('made')
    await Promise.all([connected, made])
    expect(calls()).toEqual(['command', 'control', 'in', 'made', 'control', 'in'])
  })
})
