import type { WebSocket } from 'ws'
import { ExomonadError } from '../../domain/errors.ts'
import { type EventDeps, type OpenEvents, openEvents } from './events-query.ts'
import type { Upgrade } from './upgrades.ts'

/**
 * `GET /v1/events` as a WebSocket, for browsers: they keep six other connections to a host for all
 * of their tabs. First `{connected: seq}`, after which events follow, then each event as JSON, and
 * `{alive: true}` where none came for a heartbeat. `{error, code, …}` and its end where `after` is
 * of another store: it is to be followed from anew.
 */
export const eventSocket = (deps: EventDeps): Upgrade => ({
  path: '/v1/events',
  protocol: 'websocket',
  admit: async ({ caller, query }) => {
    let events: OpenEvents
    try {
      events = await openEvents(deps, caller, Object.fromEntries(query))
    } catch (thrown) {
      // A browser does not show its page why a handshake is refused.
      if (!isOfAnotherStore(thrown)) throw thrown
      return (socket) => {
        socket.send(JSON.stringify(thrown.toJSON()))
        socket.close()
      }
    }
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

/** As events-query.ts refuses positions of a store that has not come so far. */
const isOfAnotherStore = (thrown: unknown): thrown is ExomonadError =>
  thrown instanceof ExomonadError && typeof thrown.facts['last'] === 'number'

/** Returns when it was handed on: who reads slowly holds back the reading, and fills no memory. */
const send = (socket: WebSocket, message: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(JSON.stringify(message), (error) => (error == null ? resolve() : reject(error)))
  })
