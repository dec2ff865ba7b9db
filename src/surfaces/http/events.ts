import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { StoredEvent } from '../../domain/records.ts'
import type { Directory } from '../../core/agents/directory.ts'
import type { Caller } from '../../domain/caller.ts'
import type { AgentId } from '../../domain/ids.ts'
import { nearestKey } from '../../config/nearest-key.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { parseInput } from '../parse-input.ts'
import { identityOf } from '../tool-access.ts'
import { callerOf } from '../auth.ts'
import { followEvents, type EventQuery, type EventSource } from './event-feed.ts'
import { goneSignal } from './gone.ts'
import { errorBody } from './openapi.ts'

const whole = z.coerce.number().int().min(0).optional()
const eventQuery = z.strictObject({
  after: whole.describe(
    'Only events with a higher seq; the header Last-Event-ID says the same and wins',
  ),
  since: whole.describe('Only events from this time on. Milliseconds since the epoch'),
  types: z.string().optional().describe('Comma-separated event types'),
  agent: z
    .string()
    .optional()
    .describe('Id, branch or name of the agent that the events are about'),
  last: whole.describe('Begin with the newest N; 0 with follow gives only new ones'),
  follow: z
    .enum(['true', 'false'])
    .default('true')
    .describe('false returns what there is as a JSON array'),
  heartbeat: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .optional()
    .describe('At least so often a stream shows that it is alive. Seconds; default 15'),
})

const event = z
  .object({
    seq: z.number().int(),
    type: z.string(),
    at: z.number().describe('Milliseconds since the epoch'),
    agentId: z.string().nullable(),
    actor: z.string(),
    why: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })

export interface EventRouteDeps {
  readonly events: EventSource
  readonly directory: Directory
  /** Milliseconds between comments in a stream without events. */
  readonly heartbeat: number
}

/**
 * `GET /v1/events`: a stream of server-sent events that Last-Event-ID resumes without gap or
 * repeat, or an array.
 */
export function eventRoute(fastify: FastifyInstance, deps: EventRouteDeps): void {
  const response = {
    200: {
      description: 'Server-sent events, or an array',
      content: {
        'text/event-stream': { schema: z.string() },
        'application/json': { schema: z.array(event) },
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
      const { wanted, query, visible, heartbeat } = await readEventRequest(
        deps,
        callerOf(request),
        request.query,
        request.headers['last-event-id'],
      )
      if (wanted.follow === 'false') {
        const shown: unknown[] = []
        for (const entry of await deps.events.list(query))
          if (await visible(entry)) shown.push(wire(entry))
        return shown
      }
      const signal = goneSignal(reply)
      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(
          Readable.from(frames(followEvents(deps.events, query, { signal, heartbeat }), visible)),
        )
    },
  )
}

/** What is wanted, checked, of whichever stream. INVALID_ARG, AGENT_NOT_FOUND, NOT_A_CHILD. */
export async function readEventRequest(
  deps: EventRouteDeps,
  asking: Caller,
  given: unknown,
  lastEventId: string | string[] | undefined,
): Promise<{
  wanted: z.output<typeof eventQuery>
  query: EventQuery
  visible: (event: StoredEvent) => Promise<boolean>
  /** Milliseconds. */
  heartbeat: number
}> {
  const caller = identityOf(asking)
  const wanted = parseInput(eventQuery, given, 'GET /v1/events')
  return {
    wanted,
    query: await toQuery(deps, caller, wanted, lastEventId),
    visible: visibleTo(deps.directory, caller),
    heartbeat: wanted.heartbeat === undefined ? deps.heartbeat : wanted.heartbeat * 1000,
  }
}

async function* frames(
  feed: AsyncGenerator<StoredEvent | undefined>,
  visible: (event: StoredEvent) => Promise<boolean>,
): AsyncGenerator<string> {
  // The first bytes go out at once, so that a client knows it is connected.
  yield ': connected\n\n'
  for await (const entry of feed) {
    if (entry === undefined) yield ': still here\n\n'
    else if (await visible(entry))
      yield `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(wire(entry))}\n\n`
  }
}

export const wire = ({ seq, type, at, agentId, actor, why, payload }: StoredEvent) => ({
  seq,
  type,
  at,
  agentId,
  actor,
  why,
  payload,
})

async function toQuery(
  { directory, events }: EventRouteDeps,
  caller: Caller,
  wanted: z.output<typeof eventQuery>,
  lastEventId: string | string[] | undefined,
): Promise<EventQuery> {
  const resumed =
    lastEventId === undefined
      ? undefined
      : parseInput(
          z.object({ 'Last-Event-ID': whole }),
          { 'Last-Event-ID': lastEventId },
          'GET /v1/events',
        )['Last-Event-ID']
  const after = resumed ?? wanted.after
  const types = wanted.types
    ?.split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '')
  for (const type of types ?? []) requireKnown(events.types, type)
  if (after !== undefined)
    await requirePast(events, resumed === undefined ? 'after' : 'Last-Event-ID', after)
  return {
    ...(after === undefined ? {} : { after }),
    ...(wanted.since === undefined ? {} : { since: wanted.since }),
    ...(types === undefined || types.length === 0 ? {} : { types }),
    ...(wanted.agent === undefined
      ? {}
      : { agentId: await agentInReach(directory, caller, wanted.agent) }),
    ...(wanted.last === undefined || resumed !== undefined ? {} : { last: wanted.last }),
  }
}

/** A filter that nothing can ever match would look like silence. INVALID_ARG. */
function requireKnown(types: readonly string[], type: string): void {
  if (types.includes(type)) return
  const near = nearestKey(type, types)
  throw new ExomonadError(
    'INVALID_ARG',
    `There is no event type "${type}"${near === undefined ? '' : `; did you mean ${near}?`} docs/reference.md lists them.`,
    {
      field: 'types',
      found: type,
    },
  )
}

/**
 * Positions of another store, such as one that was restored: nothing of what it holds would be sent
 * until it is as far. INVALID_ARG.
 */
async function requirePast(
  events: EventSource,
  field: 'after' | 'Last-Event-ID',
  seq: number,
): Promise<void> {
  const last = await events.lastSeq()
  if (seq <= last) return
  throw new ExomonadError(
    'INVALID_ARG',
    `${field} is ${seq}, and the last event here is ${last}. Follow without it to begin anew.`,
    {
      field,
      found: seq,
      last,
    },
  )
}

async function agentInReach(
  directory: Directory,
  caller: Caller,
  address: string,
): Promise<AgentId> {
  const agent = await directory.find(address)
  if (
    caller.kind === 'human' ||
    agent.id === caller.agent.id ||
    (await directory.isDescendant(agent, caller.agent.id))
  )
    return agent.id
  throw new ExomonadError(
    'NOT_A_CHILD',
    `${agent.name} is not below you in the tree: you see events about yourself and your descendants.`,
    {
      agent_id: agent.id,
    },
  )
}

/**
 * The owner sees all; an agent what is about itself and its descendants. Parenthood never changes,
 * so an answer is kept.
 */
function visibleTo(directory: Directory, caller: Caller): (event: StoredEvent) => Promise<boolean> {
  if (caller.kind === 'human') return () => Promise.resolve(true)
  const known = new Map<AgentId, boolean>([[caller.agent.id, true]])
  return async ({ agentId }) => {
    if (agentId === null) return false
    const before = known.get(agentId)
    if (before !== undefined) return before
    const answer = await isBelow(directory, agentId, caller.agent.id)
    known.set(agentId, answer)
    return answer
  }
}

async function isBelow(directory: Directory, id: AgentId, ancestor: AgentId): Promise<boolean> {
  try {
    return await directory.isDescendant(await directory.find(id), ancestor)
  } catch (error) {
    // The agent of a spawn that was taken back: its records are gone.
    if (error instanceof ExomonadError && error.code === 'AGENT_NOT_FOUND') return false
    throw error
  }
}
