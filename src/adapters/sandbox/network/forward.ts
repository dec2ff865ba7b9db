import { rmSync } from 'node:fs'
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** Where a connection is taken or made: a Unix socket’s path, or a port of 127.0.0.1. */
export type Place = string | number

const LOOPBACK = '127.0.0.1'

const toOptions = (place: Place): NetConnectOpts =>
  typeof place === 'string' ? { path: place } : { host: LOOPBACK, port: place }

/** Each ends when the other does, also where it breaks. */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    // What is open holds nobody whose program has ended.
    from.unref()
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

/** Listens at a place; one that a former process left there is replaced. */
export function listen(server: Server, place: Place): Promise<void> {
  if (typeof place === 'string') rmSync(place, { force: true })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(toOptions(place), resolve).unref()
  })
}

/** Whoever connects at `from` is connected with `to`. */
export const forward = (from: Place, to: Place): Promise<void> =>
  listen(
    createServer({ allowHalfOpen: true }, (socket) => {
      join(socket, connect({ ...toOptions(to), allowHalfOpen: true }))
    }),
    from,
  )
