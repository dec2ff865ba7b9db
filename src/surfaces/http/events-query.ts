import { z } from 'zod'
import type { Directory } from '../../core/agents/directory.ts'
import { nearestKey } from '../../config/nearest-key.ts'
import type { Caller } from '../../domain/caller.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { StoredEvent } from '../../domain/records.ts'
import { parseInput } from '../parse-input.ts'
import { identityOf } from '../tool-access.ts'
import { followEvents, type EventQuery, type EventSource } from './event-feed.ts'

const whole = z.coerce.number().int().min(0).optional()
export const eventQuery = z.strictObject({
  after: whole.describe(
    'Only events with a higher seq; the header Last-Event-ID says the same and wins',
  ),
  since: whole.describe('Only events from this time on. Milliseconds since the epoch'),
  before: whole.describe(
    'Only events with a lower seq: with `last` the page before the one that begins with it',
  ),
  until: whole.describe('Only events from before this time. Milliseconds since the epoch'),
  types: z.string().optional().describe('Comma-separated event types'),
  agent: z
    .string()
    .optional()
    .describe(
      'Ids, branches or names of the agents that the events are about, separated by commas',
    ),
  under: z
    .string()
    .optional()
    .describe(
      'Only events about this agent and all below it; of those that are followed and spawned later too',
    ),
  last: whole.describe('Begin with the newest N; 0 with follow gives only new ones'),
  limit: whole.describe('At most so many, the oldest first; without follow'),
  heartbeat: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .optional()
    .describe('At least so often a stream shows that it is alive. Seconds; default 15'),
  follow: z
    .enum(['true', 'false'])
    .default('true')
    .describe('false returns what there is as a JSON array'),
})

export const wireEvent = z
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

export type WireEvent = z.output<typeof wireEvent>

export interface EventDeps {
  readonly events: EventSource
  readonly directory: Directory
  /** Milliseconds between signs of life in a stream without events. */
  readonly heartbeat: number
}

/** What a client asked for, whichever way it is connected. */
export interface OpenEvents {
  readonly follows: boolean
  /** The seq after which the stream begins. */
  readonly start: number
  /** What there is; for those that do not follow. */
  list(): Promise<WireEvent[]>
  /** What there is and what comes; `undefined` as a sign of life. Ends by the signal. */
  stream(signal: AbortSignal): AsyncGenerator<WireEvent | undefined>
}

/**
 * Events as `GET /v1/events` gives them. `lastEventId`: of the last one that the client has, which
 * wins over `after`. INVALID_ARG, AGENT_NOT_FOUND, AMBIGUOUS_ID, NOT_A_CHILD.
 */
export async function openEvents(
  deps: EventDeps,
  asking: Caller,
  given: unknown,
  lastEventId?: string | string[],
): Promise<OpenEvents> {
  const caller = identityOf(asking)
  const wanted = parseInput(eventQuery, given, 'GET /v1/events')
  const query = await toQuery(deps, caller, wanted, lastEventId)
  const follows = wanted.follow === 'true'
  const tops = caller.kind === 'human' ? [] : [caller.agent.id]
  if (follows && wanted.under !== undefined)
    tops.push(await agentInReach(deps.directory, caller, wanted.under))
  const visible = visibleTo(deps.directory, tops)
  const heartbeat = wanted.heartbeat === undefined ? deps.heartbeat : wanted.heartbeat * 1000
  const { last, ...rest } = query
  // What happens from here on is sent, whatever happens before the first read.
  const onlyNew = follows && last === 0
  const start = onlyNew ? await deps.events.lastSeq() : (query.after ?? 0)
  const from = onlyNew ? { ...rest, after: start } : query
  return {
    ...{ follows, start },
    list: async () => {
      const shown: WireEvent[] = []
      for (const entry of await deps.events.list(query))
        if (await visible(entry)) shown.push(wire(entry))
      return shown
    },
    async *stream(signal) {
      for await (const entry of followEvents(deps.events, from, { signal, heartbeat, visible }))
        yield entry === undefined ? undefined : wire(entry)
    },
  }
}

const wire = ({ seq, type, at, agentId, actor, why, payload }: StoredEvent) => ({
  seq,
  type,
  at,
  agentId,
  actor,
  why,
  payload,
})

async function toQuery(
  { directory, events }: EventDeps,
  caller: Caller,
  wanted: z.output<typeof eventQuery>,
  lastEventId: string | string[] | undefined,
): Promise<EventQuery> {
  refuseTogether(wanted)
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
  const ids = await agentsOf(directory, caller, wanted)
  const { before, since, until, limit } = wanted
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(types === undefined || types.length === 0 ? {} : { types }),
    ...(ids === undefined
      ? {}
      : ids.length === 1 && ids[0] !== undefined
        ? { agentId: ids[0] }
        : { agentIds: ids }),
    ...(limit === undefined ? {} : { limit }),
    ...(wanted.last === undefined || resumed !== undefined ? {} : { last: wanted.last }),
  }
}

/** What would end a stream, or take from both ends. INVALID_ARG. */
function refuseTogether({
  follow,
  before,
  until,
  limit,
  last,
  agent,
  under,
}: z.output<typeof eventQuery>): void {
  const refuse = (field: string, why: string): never => {
    throw new ExomonadError('INVALID_ARG', `GET /v1/events: ${field} ${why}`, { field })
  }
  if (follow === 'true')
    for (const [field, value] of Object.entries({ before, until, limit }))
      if (value !== undefined) refuse(field, 'goes with follow=false: a stream has no end.')
  if (limit !== undefined && last !== undefined)
    refuse('limit', 'counts from the oldest, and last from the newest: give one of them.')
  if (agent !== undefined && under !== undefined)
    refuse('under', 'and agent both say whom events are about: give one of them.')
}

/** The agents that events are asked about; undefined for all, and for those that follow. */
async function agentsOf(
  directory: Directory,
  caller: Caller,
  { agent, under, follow }: z.output<typeof eventQuery>,
): Promise<AgentId[] | undefined> {
  if (under !== undefined) {
    const top = await agentInReach(directory, caller, under)
    // Those that are spawned later are in no list: a stream looks at each event.
    return follow === 'true' ? undefined : directory.subtree(top)
  }
  if (agent === undefined) return undefined
  const addresses = agent.split(',').map((one) => one.trim())
  const ids: AgentId[] = []
  for (const address of addresses.filter((one) => one !== ''))
    ids.push(await agentInReach(directory, caller, address))
  return ids
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
  events: Pick<EventSource, 'lastSeq'>,
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
 * The owner sees all; an agent what is about itself and its descendants; who asked for those under
 * one, these. Parenthood never changes, so an answer is kept.
 */
function visibleTo(
  directory: Directory,
  tops: readonly AgentId[],
): (event: StoredEvent) => Promise<boolean> {
  if (tops.length === 0) return () => Promise.resolve(true)
  const known = new Map<AgentId, boolean>()
  return async ({ agentId }) => {
    if (agentId === null) return false
    const before = known.get(agentId)
    if (before !== undefined) return before
    let answer = true
    for (const top of tops)
      answer = answer && (agentId === top || (await isBelow(directory, agentId, top)))
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
