import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createOutputFile } from '../../../../src/adapters/runner/output-file.ts'

/** Lines of 100 bytes, numbered. */
const line = (number: number): string => `${String(number).padStart(99, '0')}\n`

it('keeps the beginning and the end of what grows beyond its bound, whole lines, and says how much is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'o-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'task.log')
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
