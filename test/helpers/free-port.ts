import { createServer } from 'node:net'
import process from 'node:process'

/**
 * Below those that systems give out themselves, so that nobody who asks for any port is given one of
 * these before it is used, or while a server that had it is away.
 */
const FIRST = 10_000
/** Of each worker of the tests, and one for what has no number. */
const BLOCK = 1_000
const BLOCKS = 10

const numberOf = (worker: string | undefined): number => Number(worker ?? 0) % BLOCKS
let last = Math.floor(Math.random() * BLOCK)

/**
 * Test helper: a port of the loopback on which nobody listens. Workers have ports of their own, and
 * each is given once, so that no other test takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % BLOCK
    const port = FIRST + numberOf(process.env['VITEST_POOL_ID']) * BLOCK + last
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
