import { readdirSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startOnPipes } from '../../../src/processes/start-on-pipes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Named pipes of ours that this process has open: their names are gone by then. */
const openPipes = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return /exomonad-pipes-.*\(deleted\)$/.test(path) ? [path] : []
    } catch {
      return []
    }
  })

/** Others that share this process may have some. */
const opened = (before: readonly string[]): boolean =>
  openPipes().some((path) => !before.includes(path))

describe.skipIf(process.platform !== 'linux')('a process on pipes', () => {
  const options = { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }

  it('can open them by their names, and ends what is read of it by its end', async () => {
    const before = openPipes()
    const { child, stdin, stdout, stderr } = startOnPipes(
      'sh',
      ['-c', 'read line; echo "$line" > /dev/stdout; echo no > /dev/stderr'],
      options,
    )
    const said = Promise.all([text(stdout), text(stderr)])
    stdin.end('yes\n')
    expect(await said).toEqual(['yes\n', 'no\n'])
    await waitFor('its end', () => child.exitCode === 0)
    await waitFor('all ends to be closed', () => !opened(before))
  })

  it('sees the end of what it is given', async () => {
    const { stdin, stdout, stderr } = startOnPipes('cat', [], options)
    stderr.resume()
    stdin.end('all of it')
    expect(await text(stdout)).toBe('all of it')
  })

  it('leaves nothing open where it can’t be started', async () => {
    const before = openPipes()
    expect(() => startOnPipes('cat', ['\0'], options)).toThrow('null bytes')
    await waitFor('all ends to be closed', () => !opened(before))
  })
})
