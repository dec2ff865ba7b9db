import { createServer } from 'node:net'

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      server.close(() => resolve(true)),
    )
  })

/** Whether nobody listens on any of these ports of 127.0.0.1 now. */
export async function portsFree(first: number, count: number): Promise<boolean> {
  const ports = Array.from({ length: count }, (_, index) => first + index)
  return (await Promise.all(ports.map(isFree))).every(Boolean)
}

/**
 * Where it is looked for: below what systems give to connections by themselves (from 32768 on
 * Linux, 49152 elsewhere), above the blocks of worktrees (domain/slots.ts).
 */
const FIRST = 30_000
const COUNT = 2_768
const TRIES = 20

/** Longer than a program takes on a busy machine until it listens. Milliseconds. */
const STARTING = 300_000
/** Those that were given to programs that may not listen yet, by when that is over. */
const given = new Map<number, number>()

/**
 * A port of 127.0.0.1 that nobody listens on now, and that nobody was given who may be starting
 * still; another process may take it before it is used, but no connection that just happens to need
 * one.
 */
export async function freePort(random: () => number = Math.random): Promise<number> {
  const now = performance.now()
  for (const [port, until] of given) if (until < now) given.delete(port)
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST + Math.floor(random() * COUNT)
    if (given.has(port)) continue
    given.set(port, now + STARTING)
    if (await isFree(port)) return port
    given.delete(port)
  }
  for (;;) {
    const port = await anyPort()
    if (given.has(port)) continue
    given.set(port, now + STARTING)
    return port
  }
}

const anyPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      )
    })
  })
