import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { exec } from '../../../../src/processes/exec.ts'
import { createNotifier } from '../../../../src/adapters/machine/notify.ts'
import { createLog } from '../../../../src/runtime/log.ts'
import { tempFolder } from './temp-folder.ts'

function setUp(source: string, options: { timeout?: number; file?: string } = {}) {
  const folder = tempFolder()
  const program = join(folder, 'notify.mjs')
  const received = join(folder, 'received')
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs'\nconst received = ${JSON.stringify(received)}\n${source}`,
  )
  const logged: string[] = []
  const notify = createNotifier({
    command: [options.file ?? process.execPath, program, '--title', 'exomonad'],
    env: { PATH: '/usr/bin:/bin' },
    exec,
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
  })
  return {
    notify,
    logged,
    received: () =>
      readFileSync(received, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
  }
}
const append = 'appendFileSync(received, JSON.stringify(process.argv.slice(2)) + "\\n")'

describe('createNotifier', () => {
  it('runs the command with the text as its last argument, in order and without a shell', async () => {
    const { notify, received } = setUp(append)
    await Promise.all([notify('[QUESTION] a: `rm -rf /` $(x) "?"\nsecond line'), notify('two\0')])
    expect(received()).toEqual([
      ['--title', 'exomonad', '[QUESTION] a: `rm -rf /` $(x) "?"\nsecond line'],
      ['--title', 'exomonad', 'two'],
    ])
  })

  it('shortens what no argument could hold', async () => {
    const { notify, received } = setUp(append)
    await notify('x'.repeat(1_000_000))
    expect((received()[0] as string[])[2]?.length).toBe(4000)
  })

  it.each([
    ['fails', 'console.error("no display"); process.exitCode = 3', {}, 'no display'],
    ['hangs', 'setInterval(() => {}, 1000)', { timeout: 300 }, 'longer than 0.3 s'],
    [
      'leaves a program behind that holds its output',
      'import { spawn } from "node:child_process"\nspawn("sleep", ["600"], { stdio: "inherit" })\nsetInterval(() => {}, 1000)',
      { timeout: 300 },
      'longer than 0.3 s',
    ],
    ['is missing', '', { file: '/nowhere/notify' }, 'ENOENT'],
  ])('logs a command that %s, and throws nothing', async (_what, source, options, words) => {
    const { notify, logged } = setUp(source, options)
    await expect(notify('hello')).resolves.toBeUndefined()
    expect(logged.join('')).toContain(words)
  })

  it('does nothing without a command', async () => {
    const never = () => Promise.reject(new Error('it ran something'))
    await createNotifier({
      command: undefined,
      env: {},
      exec: never,
      log: createLog({ level: 'silent', destination: { write: () => {} } }),
    })('hello')
  })
})
