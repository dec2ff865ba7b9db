import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { createCommandTarget } from '../../../../src/adapters/notify/command.ts'
import type { Notice } from '../../../../src/adapters/notify/target.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { tempFolder } from '../machine/temp-folder.ts'

const never = new AbortController().signal
const noticeOf = (title: string, body = ''): Notice => ({
  id: 'n',
  title,
  body,
  items: [],
  test: false,
})

function setUp(source: string, options: { timeout?: number; file?: string } = {}) {
  const folder = tempFolder()
  const program = join(folder, 'notify.mjs')
  const received = join(folder, 'received')
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs'\nconst received = ${JSON.stringify(received)}\n${source}`,
  )
  return {
    target: createCommandTarget({
      command: [options.file ?? process.execPath, program, '--title', 'exomonad'],
      env: { PATH: '/usr/bin:/bin' },
      exec,
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    }),
    received: () =>
      readFileSync(received, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as string[]),
  }
}
const append = 'appendFileSync(received, JSON.stringify(process.argv.slice(2)) + "\\n")'

describe('a command that notifies', () => {
  it('gets the words as its last argument, without a shell', async () => {
    const { target, received } = setUp(append)
    const words = '[QUESTION] a: `rm -rf /` $(x) "?"\nsecond line'
    await target.send(noticeOf(words), never)
    expect(await target.send(noticeOf('two\0', 'lines\nbelow'), never)).toMatchObject({ ok: true })
    expect(received()).toEqual([
      ['--title', 'exomonad', words],
      ['--title', 'exomonad', 'two\nlines\nbelow'],
    ])
  })

  it('gets no more than an argument may hold', async () => {
    const { target, received } = setUp(append)
    await target.send(noticeOf('x'.repeat(1_000_000)), never)
    expect(received()[0]?.[2]?.length).toBe(4000)
  })

  it.each([
    [
      'fails',
      'console.error("no display"); process.exitCode = 3',
      {},
      'exit code 3: no display',
      true,
    ],
    ['hangs', 'setInterval(() => {}, 1000)', { timeout: 300 }, 'longer than 0.3 s', true],
    [
      'leaves a program behind that holds its output',
      'import { spawn } from "node:child_process"\nspawn("sleep", ["600"], { stdio: "inherit" })\nsetInterval(() => {}, 1000)',
      { timeout: 300 },
      'longer than 0.3 s',
      true,
    ],
    ['is missing', '', { file: '/nowhere/notify' }, 'ENOENT', false],
  ])('says of itself that it %s', async (_what, source, options, words, again) => {
    const answer = await setUp(source, options).target.send(noticeOf('hello'), never)
    expect(answer).toMatchObject({ ok: false, again, reason: expect.stringContaining(words) })
  })
})
