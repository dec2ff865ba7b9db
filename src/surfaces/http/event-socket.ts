import type { WebSocket } from 'ws'
import { ExomonadError } from '../../domain/errors.ts'
import { type EventDeps, openEvents } from './events-query.ts'
import type { Upgrade } from './upgrades.ts'

/**
 * `GET /v1/events` as a WebSocket, for browsers: they keep six other connections to a host for all
 * of their tabs. First `{connected: seq}`, after which events follow, then each event as JSON, and
 * `{alive: true}` where none came for a heartbeat.
 */
export const eventSocket = (deps: EventDeps): Upgrade => ({
  path: '/v1/events',
  protocol: 'websocket',
  admit: async ({ caller, query }) => {
    const events = await openEvents(deps, caller, Object.fromEntries(query))
    if (!events.follows)
      throw new ExomonadError('INVALID_ARG', 'A WebSocket follows: leave out follow=false.', {
        field: 'follow',
      })
    return (socket) => {
      const gone = new AbortController()
      socket.on('close', () => gone.abort())
      void (async () => {
        await send(socket, { connected: events.start })
        for await (const event of events.stream(gone.signal))
          await send(socket, event ?? { alive: true })
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
