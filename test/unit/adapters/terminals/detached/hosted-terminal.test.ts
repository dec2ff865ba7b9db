import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { createHostedTerminal } from '../../../../../src/adapters/terminals/detached/hosted-terminal.ts'

/**
 * Counts until its terminal takes no more for a while, and ends there; the file has the last number
 * that was taken.
 */
const COUNTER = `
import { constants, openSync, writeFileSync, writeSync } from 'node:fs'
const terminal = openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK)
let count = 0, rest = '', full = 0
for (;;) {
  rest ||= String(count + 1).padEnd(60, '.') + '\\n'
  let taken = 0
  try { taken = writeSync(terminal, rest) } catch (error) { if (error.code !== 'EAGAIN') throw error }
  rest = rest.slice(taken)
  if (rest === '') count += 1
  if (taken > 0) { full = 0; continue }
  full ||= Date.now()
  if (Date.now() - full > 150) break
}
writeFileSync(process.argv[1], String(count))
`

it('has the last that a program wrote which ended while its terminal was not being read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hosted-terminal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'count')
  const terminal = createHostedTerminal({
    argv: [process.execPath, '--input-type=module', '-e', COUNTER, file],
    cwd: '/',
    env: {},
    columns: 100,
    rows: 30,
    // Slow, so that reading stops, for longer than node-pty waits.
    onOutput: () => {
      for (const end = performance.now() + 4; performance.now() < end;);
    },
  })
  onTestFinished(() => terminal.dispose())
  expect(await terminal.end).toEqual({ exitCode: 0, exitSignal: null })
  expect(await terminal.capture(0)).toContain(`\n${readFileSync(file, 'utf8')}.`)
})
