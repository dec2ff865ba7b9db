import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launchFile, type Launch } from '../../../../src/adapters/machine/launch-file.ts'

const launcher = fileURLToPath(new URL('../../../../hooks/launch.sh', import.meta.url))
const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/busybox']
  .filter(existsSync)
  .map((shell) => (shell === '/bin/busybox' ? [shell, 'sh'] : [shell]))

let folder = ''
let count = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'l-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a launch file with a shell; the environment it starts with can be given. */
async function launch(
  shell: readonly string[],
  options: Launch,
  env: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string; code: number; file: string }> {
  const file = join(folder, `launch ${String((count += 1))}`)
  writeFileSync(file, launchFile(options), { mode: 0o600 })
  const [program = '', ...args] = shell
  const run = promisify(execFile)(program, [...args, launcher, file], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    maxBuffer: 50_000_000,
  })
  return await run.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0, file }),
    (error: { stdout: string; stderr: string; code: number }) => ({
      stdout: error.stdout,
      stderr: error.stderr,
      code: error.code,
      file,
    }),
  )
}

/** Prints its arguments and the variables whose names are given as one JSON value. */
const printing = (names: readonly string[], words: readonly string[]) => [
  process.execPath,
  '-e',
  `process.stdout.write(JSON.stringify([${JSON.stringify(names)}.map((name) => process.env[name] ?? null), process.argv.slice(1)]))`,
  '--',
  ...words,
]

const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...Array.from(`'"\\$\`\n\r\t -~#;&|!*?[]{}()<>=%\u0001\u007F\u0085`)),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  })
  .map((value) => value.replaceAll('\0', '').toWellFormed())

describe('a launch file', () => {
  it.each(shells)('hands every value and argument over as it is: %s', async (...shell) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 5 }),
        fc.array(text, { maxLength: 5 }),
        async (values, words) => {
          const env = Object.fromEntries(
            values.map((value, index) => [`VALUE_${String(index)}`, value]),
          )
          const { stdout, stderr } = await launch(shell, {
            env,
            argv: printing(Object.keys(env), words),
            unset: [],
          })
          expect(stderr).toBe('')
          expect(JSON.parse(stdout)).toEqual([values, words])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('takes away what the agent must not have, whoever set it, and sets what it is given', async () => {
    const options = {
      env: { KEPT: 'x', TWICE: 'new' },
      argv: printing(['TMUX', 'TWICE', 'KEPT', 'OUTER'], []),
      unset: ['TMUX', 'TMUX_PANE', 'TWICE'],
    }
    const { stdout } = await launch(['/bin/sh'], options, { TMUX: 'a', TWICE: 'old', OUTER: 'o' })
    expect(JSON.parse(stdout)).toEqual([[null, 'new', 'x', 'o'], []])
  })

  it('is gone before the program runs, and leaves no trace of its text in the environment', async () => {
    const file = join(folder, `launch ${String(count + 1)}`)
    const { stdout } = await launch(
      ['/bin/sh'],
      {
        env: { SECRET: 's3cret' },
        argv: ['/bin/sh', '-c', '[ -e "$0" ] && echo there; unset SECRET; env', file],
        unset: [],
      },
      { exomonad_launch_text: 'x' },
    )
    expect(stdout).not.toContain('there')
    expect(stdout).not.toContain('s3cret')
  })

  it('becomes the program: the process id stays', async () => {
    const { stdout } = await launch(['/bin/sh'], {
      env: {},
      argv: ['/bin/sh', '-c', 'echo $$ $PPID'],
      unset: [],
    })
    expect(Number(stdout.split(' ')[1])).toBe(process.pid)
  })

  it('says which program is missing (127) or can not be run (126)', async () => {
    const missing = await launch(['/bin/sh'], { env: {}, argv: ['no-such-agent', 'x'], unset: [] })
    expect(missing).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('no-such-agent is not there') as string,
    })
    expect(existsSync(missing.file)).toBe(false)
    writeFileSync(join(folder, 'plain'), 'text', { mode: 0o644 })
    mkdirSync(join(folder, 'directory'))
    for (const name of ['plain', 'directory'])
      expect(
        await launch(['/bin/sh'], { env: {}, argv: [join(folder, name)], unset: [] }),
      ).toMatchObject({ code: 126 })
    expect(await launch(['/bin/sh'], { env: {}, argv: [''], unset: [] })).toMatchObject({
      code: 126,
    })
  })

  it('can be used once', async () => {
    const run = promisify(execFile)('/bin/sh', [launcher, join(folder, 'not there')], {
      env: { PATH: process.env['PATH'] ?? '' },
    })
    await expect(run).rejects.toMatchObject({
      code: 126,
      stderr: expect.stringContaining('there is no launch file') as string,
    })
  })

  it('finds the program on the PATH it sets', async () => {
    writeFileSync(join(folder, 'my-agent'), '#!/bin/sh\necho "here I am"\n', { mode: 0o755 })
    const { stdout } = await launch(['/bin/sh'], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
      argv: ['my-agent'],
      unset: [],
    })
    expect(stdout).toBe('here I am\n')
  })

  it.each([
    { env: { 'A-B': '' }, argv: ['x'], unset: [] },
    { env: { '1': '' }, argv: ['x'], unset: [] },
    { env: { 'A=1; touch x;B': '' }, argv: ['x'], unset: [] },
    { env: { A: 'nul\0' }, argv: ['x'], unset: [] },
    { env: {}, argv: ['nul\0'], unset: [] },
    { env: {}, argv: [], unset: [] },
    { env: {}, argv: ['x'], unset: ['$(x)'] },
  ])('refuses what no environment can hold: %j', (options) => {
    expect(() => launchFile(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARG' }) as Error,
    )
  })
})
