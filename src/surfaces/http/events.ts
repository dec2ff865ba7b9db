import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../auth.ts'
import {
  type EventDeps,
  eventQuery,
  openEvents,
  wireEvent,
  type WireEvent,
} from './events-query.ts'
import { goneSignal } from './gone.ts'
import { errorBody } from './openapi.ts'

/**
 * `GET /v1/events`: a stream of server-sent events that Last-Event-ID resumes without gap or
 * repeat, or an array.
 */
export function eventRoute(fastify: FastifyInstance, deps: EventDeps): void {
  const response = {
    200: {
      description: 'Server-sent events, or an array',
      content: {
        'text/event-stream': { schema: z.string() },
        'application/json': { schema: z.array(wireEvent) },
      },
    },
    '4xx': errorBody,
    '5xx': errorBody,
  }
  fastify.get(
    '/v1/events',
    {
      schema: {
        operationId: 'get_events',
        tags: ['state'],
        summary: 'What happened',
        description:
          'A stream of server-sent events, which Last-Event-ID resumes without gap or repeat, or an array. With `Upgrade: websocket` the events come as messages of JSON, after `{"connected": seq}`, with `{"alive": true}` between them. An agent sees what is about itself and its descendants.',
        querystring: eventQuery,
        response,
      },
    },
    async (request, reply) => {
      const events = await openEvents(
        deps,
        callerOf(request),
        request.query,
        request.headers['last-event-id'],
      )
      if (!events.follows) return events.list()
      const signal = goneSignal(reply)
      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(Readable.from(frames(events.stream(signal))))
    },
  )
}

async function* frames(feed: AsyncGenerator<WireEvent | undefined>): AsyncGenerator<string> {
  // The first bytes go out at once, so that a client knows it is connected.
  yield ': connected\n\n'
  for await (const entry of feed) {
    if (entry === undefined) yield ': still here\n\n'
    else yield `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`
  }
}
