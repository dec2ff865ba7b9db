import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../../src/adapters/machine/free-port.ts'

const takes = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    onTestFinished(() => void server.close())
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true))
  })

it('is none that a connection may be given, nor one of a worktree’s block', async () => {
  expect(await freePort(() => 0)).toBeGreaterThanOrEqual(20_000 + 500 * 20)
  expect(await freePort(() => 0.999_999)).toBeLessThan(32_768)
})

it('is not one that somebody listens on, and is found where all that are tried are taken', async () => {
  const first = await freePort(() => 0.5)
  expect(await takes(first)).toBe(true)
  const values = [0.5, 0.5, 0.25]
  const next = await freePort(() => values.shift() ?? 0)
  expect(next).not.toBe(first)
  expect(await takes(next)).toBe(true)
  expect(await takes(await freePort(() => 0.5))).toBe(true)
})

it('is given to one program alone, though that listens only later', async () => {
  const same = (): Promise<number> => freePort(() => 0.3)
  const ports = [await same(), await same(), ...(await Promise.all([same(), same()]))]
  expect(new Set(ports).size).toBe(ports.length)
})
