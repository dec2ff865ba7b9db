import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createOutputFile } from '../../../../src/processes/host/output-file.ts'

/** Lines of 100 bytes, numbered. */
const line = (number: number): string => `${String(number).padStart(99, '0')}\n`

function taskFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'o-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'task.log')
}
const BOUND = 200_000
/** What one write may go beyond it, until it is cut. */
const SLACK = 1_100_000

it('keeps the beginning and the end of what grows beyond its bound, whole lines, and says how much is gone', async () => {
  const file = taskFile()
  const bound = 200_000
  const output = createOutputFile(file, () => expect.fail('no trouble'), bound)
  const lines = 20_000
  let largest = 0
  for (let number = 0; number < lines; number++) {
    output.write(Buffer.from(line(number)))
    if (number % 500 !== 0) continue
    await output.drained()
    await new Promise((resolve) => setImmediate(resolve))
    largest = Math.max(largest, statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  }
  await output.close()
  const text = readFileSync(file, 'utf8')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bound + 1_000_000)
  expect(largest).toBeLessThanOrEqual(bound + 1_000_000)
  const kept = text.split('\n').slice(0, -1)
  const notices = kept.filter((one) => one.startsWith('[exomonad]'))
  expect(notices).toHaveLength(1)
  const gone = Number(/(\d+) bytes are gone/.exec(notices[0] ?? '')?.[1])
  const numbers = kept.filter((one) => !one.startsWith('[exomonad]')).map(Number)
  expect(numbers[0]).toBe(0)
  expect(numbers.at(-1)).toBe(lines - 1)
  expect(numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)).toBe(true)
  expect(numbers.length * 100 + gone).toBe(lines * 100)
})

it('counts on where another writer of the same file left off, and what a crash left of a cut is no matter', async () => {
  const file = taskFile()
  writeFileSync(`${file}.part`, 'left behind')
  let next = 0
  for (let writer = 0; writer < 4; writer++) {
    const output = createOutputFile(file, () => expect.fail('no trouble'), BOUND)
    for (const end = next + 3000; next < end; next += 1) output.write(Buffer.from(line(next)))
    await output.close()
    expect(statSync(file).size).toBeLessThanOrEqual(BOUND)
    const kept = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const notices = kept.filter((one) => one.startsWith('[exomonad]'))
    expect(notices).toHaveLength(1)
    expect(
      (kept.length - 1) * 100 + Number(/(\d+) bytes are gone/.exec(notices[0] ?? '')?.[1]),
    ).toBe(next * 100)
  }
  expect(readdirSync(join(file, '..'))).toEqual(['task.log'])
})

it.each([
  ['a single line without an end', () => Buffer.alloc(10_000, 'x')],
  [
    'lines longer than all may be',
    (index: number) => Buffer.from(index % 50 === 49 ? '\n' : 'y'.repeat(10_000)),
  ],
  ['no text', () => Buffer.alloc(10_000, 0xff)],
  [
    'lines that look like the notice',
    () => Buffer.from('[exomonad]              12 bytes are gone here: not so\n'.repeat(100)),
  ],
  ['empty lines', () => Buffer.alloc(10_000, '\n')],
])('bounds %s as well', async (_what, piece) => {
  const file = taskFile()
  const output = createOutputFile(file, () => expect.fail('no trouble'), BOUND)
  for (let index = 0; index < 500; index++) {
    output.write(piece(index))
    await output.drained()
    expect(statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBeLessThanOrEqual(BOUND + SLACK)
  }
  await output.close()
  expect(statSync(file).size).toBeLessThanOrEqual(BOUND)
  expect(readFileSync(file, 'latin1')).toContain(
    'bytes are gone here: the output of one task is bounded',
  )
})

it('grows no further while it can not be cut, says so, and goes on as soon as it can', async () => {
  const file = taskFile()
  const said: string[] = []
  const output = createOutputFile(file, (text) => said.push(text), BOUND)
  // Nothing can be written there.
  mkdirSync(`${file}.part`)
  mkdirSync(`${file}.part/x`)
  let next = 0
  const write = async (lines: number): Promise<void> => {
    for (const end = next + lines; next < end; next += 1) output.write(Buffer.from(line(next)))
    await output.drained()
  }
  for (let round = 0; round < 40; round++) {
    await write(1000)
    expect(statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBeLessThanOrEqual(BOUND + SLACK)
  }
  expect(said.join('\n')).toMatch(/task\.log has all that it may have, and can not be shortened: /)
  rmSync(`${file}.part`, { recursive: true })
  await expect
    .poll(
      async () => (await write(100), readFileSync(file, 'utf8').includes('bytes are gone here')),
      { timeout: 10_000 },
    )
    .toBe(true)
  await output.close()
  const text = readFileSync(file, 'utf8')
  expect(text.trimEnd().endsWith(line(next - 1).trim())).toBe(true)
  expect(existsSync(`${file}.part`)).toBe(false)
})
