/**
 * Runs a test file again and again beside a load, and prints what failed and how often:
 *
 *   npm run test:repeat -- test/integration/turns/wait.test.ts 20 [--load 4]
 *
 * Exit code 1 where anything failed. A test that fails one time in twenty here is as wrong as one
 * that always does.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { load: { type: 'string', default: '4' } },
})
const [file, count = '20'] = positionals
const times = Number(count)
const load = Number(values.load)
if (
  file === undefined ||
  !Number.isInteger(times) ||
  times < 1 ||
  !Number.isInteger(load) ||
  load < 0
) {
  process.stderr.write('Usage: npm run test:repeat -- FILE [N] [--load PROCESSES]\n')
  process.exit(2)
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const folder = mkdtempSync(join(tmpdir(), 'repeat-'))
const busy: ChildProcess[] = Array.from({ length: load }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
const failures = new Map<string, { count: number; message: string }>()
const note = (name: string, message: string): void => {
  failures.set(name, { count: (failures.get(name)?.count ?? 0) + 1, message })
}

const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
const run = (output: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const args = [vitest, 'run', '--reporter=json', `--outputFile=${output}`, file]
    spawn(process.execPath, args, { stdio: 'ignore' }).once('error', reject).once('exit', resolve)
  })

try {
  for (let number = 1; number <= times; number += 1) {
    const output = join(folder, `${String(number)}.json`)
    const began = performance.now()
    const code = await run(output)
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report
    const failed = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed'),
    )
    for (const { fullName, failureMessages } of failed) note(fullName, failureMessages[0] ?? '')
    // A hook, a leak or a file that does not load is nobody's assertion.
    if (code !== 0 && failed.length === 0)
      note('(the run itself)', testResults.map(({ message }) => message).join('\n'))
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stdout.write(
      `${String(number).padStart(3)}/${count}  ${seconds} s  ${code === 0 ? 'passed' : `failed: ${failed.map(({ fullName }) => fullName).join('; ')}`}\n`,
    )
  }
} finally {
  for (const one of busy) one.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

for (const [name, { count: seen, message }] of failures)
  process.stdout.write(`\n${String(seen)} of ${count}: ${name}\n${message}\n`)
if (failures.size > 0) process.exitCode = 1
