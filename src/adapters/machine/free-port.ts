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

/** A port of 127.0.0.1 that nobody listens on now; somebody else may take it before it is used. */
export const freePort = (): Promise<number> =>
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
