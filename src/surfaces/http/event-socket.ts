import type { WebSocket } from 'ws'
import { followEvents } from './event-feed.ts'
import { readEventRequest, wire, type EventRouteDeps } from './events.ts'
import type { Upgrade } from './upgrades.ts'

/**
 * `GET /v1/events` as a WebSocket, for browsers: they keep six other connections to a host for all
 * of their tabs. First `{connected: seq}`, after which events follow, then each event as JSON, and
 * `{alive: true}` where none came for a heartbeat.
 */
export const eventSocket = (deps: EventRouteDeps): Upgrade => ({
  path: '/v1/events',
  protocol: 'websocket',
  admit: async ({ caller, query: given }) => {
    const { wanted, query, visible, heartbeat } = await readEventRequest(
      deps,
      caller,
      Object.fromEntries(given),
      undefined,
    )
    // What happens from here on is sent, whatever happens before the first read.
    const start = wanted.last === 0 ? await deps.events.lastSeq() : (query.after ?? 0)
    const { last, ...rest } = query
    const from = last === 0 ? { ...rest, after: start } : query
    return (socket) => {
      const gone = new AbortController()
      socket.on('close', () => gone.abort())
      void (async () => {
        await send(socket, { connected: start })
        for await (const event of followEvents(deps.events, from, {
          signal: gone.signal,
          heartbeat,
        })) {
          if (event === undefined) await send(socket, { alive: true })
          else if (await visible(event)) await send(socket, wire(event))
        }
        socket.close()
      })().catch(() => socket.terminate())
    }
  },
})

/** Returns when it was handed on: who reads slowly holds back the reading, and fills no memory. */
const send = (socket: WebSocket, message: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(JSON.stringify(message), (error) => (error == null ? resolve() : reject(error)))
  })
