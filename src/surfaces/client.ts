import type { SubagentEvent } from '../core/sessions/subagent-progress.ts'
import { asExomonadError, ExomonadError } from '../domain/errors.ts'
import { ERRORS, type ErrorCode } from '../domain/error-codes.ts'
import { guardCallbacks } from '../../packages/subagents/src/callbacks.ts'
import type { ToolInput, ToolName, ToolResult } from '../tools/types.ts'
import { parseEventStream } from './event-stream.ts'
import { readText, requestOverSocket, type SocketResponse } from './socket-http.ts'
import { parseJson } from '../domain/formats/parse-json.ts'

export interface ClientOptions {
  /** Path of the daemon’s Unix socket. */
  readonly socket: string
  readonly token: string
  /** Agent to act for; only the owner’s token may. */
  readonly as?: string | undefined
  /** Awaited before an event stream that lost the daemon connects again. Never throws. */
  readonly whenAway?: ((signal?: AbortSignal) => Promise<void>) | undefined
}

/** An event as the daemon’s stream carries it; see src/events/event.ts for types and payloads. */
export interface WireEvent {
  readonly seq: number
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly agentId: string | null
  readonly actor: string
  readonly why: string | null
  readonly payload: Record<string, unknown>
}

export interface EventQuery {
  /** Exclusive sequence number to go on from. */
  readonly after?: number | undefined
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly types?: readonly string[] | undefined
  /** Id, branch or name of the agent that the events are about. */
  readonly agent?: string | undefined
  /** Begin with the newest so many; with `follow`, 0 gives only new ones. */
  readonly last?: number | undefined
  /** Stay connected for new events, across restarts of the daemon. */
  readonly follow: boolean
  readonly signal?: AbortSignal | undefined
}

export interface CallOptions {
  /** Idempotency key: asked for again under the same, it is not done again. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with how far the call is: in words, and of subagents what happened. */
  readonly progress?: ((message: string, event: SubagentEvent | undefined) => void) | undefined
}

export interface Client extends Exchanges {
  /** Calls a tool, checked by its own schemas when it is compiled. Throws as `callTool`. */
  call<Name extends ToolName>(
    name: Name,
    input: ToolInput<Name>,
    options?: CallOptions,
  ): Promise<ToolResult<Name>>
}

/** What goes to the daemon and back. */
export interface Exchanges {
  /**
   * Calls a tool whose name is known at run time only. Throws the ExomonadError that the daemon
   * answered with, DAEMON_UNAVAILABLE where nobody listens.
   */
  callTool(name: string, input: unknown, options?: CallOptions): Promise<unknown>
  get<Result>(
    path: string,
    options?: { signal?: AbortSignal | undefined; timeout?: number },
  ): Promise<Result>
  /**
   * Oldest first. With `follow` it reconnects after the last event it gave, and ends only by the
   * signal.
   */
  events(query: EventQuery): AsyncGenerator<WireEvent>
  hook<Result>(
    event: string,
    body: unknown,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result>
}

/** The types are the tools’ own and cost nothing: what is called is the same. */
export const withTypedCalls = (exchanges: Exchanges): Client => ({
  ...exchanges,
  call: exchanges.callTool as Client['call'],
})

/** First and longest wait before a reconnect of the event stream, milliseconds. */
const RECONNECT = { first: 100, longest: 2000 }

/**
 * The daemon as its surfaces’ callers see it. Nothing is connected until a call is made; each call
 * has a connection of its own.
 */
export function createClient(options: ClientOptions): Client {
  const headers: Record<string, string> = { authorization: `Bearer ${options.token}` }
  if (options.as !== undefined)
    headers['x-exomonad-as'] = options.as.replace(/[^\x20-\x7e]|%/gu, encodeURIComponent)

  async function send<Result>(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    {
      headers: more = {},
      ...limits
    }: {
      signal?: AbortSignal | undefined
      timeout?: number
      headers?: Readonly<Record<string, string>>
    } = {},
  ): Promise<Result> {
    const response = await requestOverSocket({
      socket: options.socket,
      method,
      path,
      headers: { ...headers, ...more },
      ...limits,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return parseAnswer<Result>(response)
  }

  async function* stream(query: EventQuery): AsyncGenerator<WireEvent> {
    let last = query.after
    let wait = RECONNECT.first
    for (;;) {
      try {
        const response = await requestOverSocket({
          socket: options.socket,
          method: 'GET',
          path: `/v1/events?${eventParameters(query, undefined)}`,
          headers: {
            ...headers,
            accept: 'text/event-stream',
            ...(last === undefined ? {} : { 'last-event-id': String(last) }),
          },
          signal: query.signal,
        })
        if (response.status !== 200) await parseAnswer(response)
        for await (const message of parseEventStream(response.body)) {
          const event = parseEvent(message.data, message.id)
          if (event === undefined) continue
          last = event.seq
          wait = RECONNECT.first
          yield event
        }
      } catch (error) {
        if (query.signal?.aborted === true) return
        if (!(error instanceof ExomonadError) || error.code !== 'DAEMON_UNAVAILABLE') throw error
      }
      if (query.signal?.aborted === true) return
      await options.whenAway?.(query.signal)
      await pause(wait, query.signal)
      wait = Math.min(wait * 2, RECONNECT.longest)
    }
  }

  async function callWithProgress<Result>(
    path: string,
    input: unknown,
    { signal, progress }: CallOptions,
    keyed: Readonly<Record<string, string>>,
  ): Promise<Result> {
    const response = await requestOverSocket({
      socket: options.socket,
      method: 'POST',
      path,
      headers: { ...headers, ...keyed, accept: 'text/event-stream' },
      body: JSON.stringify(input),
      signal,
    })
    // Refused before it was begun.
    if (response.status !== 200) return parseAnswer<Result>(response)
    const notify = guardCallbacks({ progress })
    let answer: { event: string; body: unknown } | undefined
    // Read to its end: a result that was not taken whole counts as not arrived.
    for await (const { event, data } of parseEventStream(response.body)) {
      const body: unknown = parseJson(data)
      if (event !== 'progress') answer = { event, body }
      else if (answer === undefined) {
        const { message, event: reported } = body as { message: string; event?: SubagentEvent }
        notify('progress', message, reported)
      }
    }
    if (answer?.event === 'result') return answer.body as Result
    if (answer !== undefined) throw errorFromAnswer(answer.body, response.status)
    throw new ExomonadError(
      'DAEMON_UNAVAILABLE',
      'The daemon went away before it answered. `exomonad daemon logs` says why.',
      { connected: true },
    )
  }

  return withTypedCalls({
    callTool: (name, input, limits = {}) => {
      const path = `/v1/tools/${encodeURIComponent(name)}`
      const keyed = limits.key === undefined ? {} : { 'idempotency-key': limits.key }
      return limits.progress === undefined
        ? send('POST', path, input, { signal: limits.signal, headers: keyed })
        : callWithProgress(path, input, limits, keyed)
    },
    get: (path, limits) => send('GET', path, undefined, limits),
    async *events(query) {
      if (query.follow) yield* stream(query)
      else {
        yield* await send<WireEvent[]>(
          'GET',
          `/v1/events?${eventParameters(query, query.after)}`,
          undefined,
          { signal: query.signal },
        )
      }
    },
    hook: (event, body, limits) =>
      send('POST', `/v1/hooks/${encodeURIComponent(event)}`, body, limits),
  })
}

function eventParameters(query: EventQuery, after: number | undefined): URLSearchParams {
  const parameters = new URLSearchParams({ follow: String(query.follow) })
  if (after !== undefined) parameters.set('after', String(after))
  if (query.since !== undefined) parameters.set('since', String(query.since))
  if (query.last !== undefined) parameters.set('last', String(query.last))
  if (query.types !== undefined) parameters.set('types', query.types.join(','))
  if (query.agent !== undefined) parameters.set('agent', query.agent)
  return parameters
}

function parseEvent(data: string, id: string | undefined): WireEvent | undefined {
  try {
    const event = parseJson(data) as Partial<WireEvent>
    const seq = event.seq ?? Number(id)
    return typeof event.type === 'string' && Number.isInteger(seq)
      ? ({ ...event, seq } as WireEvent)
      : undefined
  } catch {
    return undefined
  }
}

async function parseAnswer<Result>(response: SocketResponse): Promise<Result> {
  const text = await readText(response)
  let body: unknown
  try {
    body = text === '' ? null : parseJson(text)
  } catch (error) {
    throw new ExomonadError(
      'INTERNAL',
      `The daemon answered ${response.status} with something that is not JSON: ${text.slice(0, 200)}`,
      {},
      { cause: error },
    )
  }
  if (response.status < 400) return body as Result
  throw errorFromAnswer(body, response.status)
}

/**
 * The ExomonadError that an answer `{error, code, …facts}` stands for; INTERNAL with the status for
 * anything else.
 */
export function errorFromAnswer(body: unknown, status: number): ExomonadError {
  if (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string'
  ) {
    const { error, code, ...facts } = body as { error: string; code?: unknown } & Record<
      string,
      unknown
    >
    const known = typeof code === 'string' && Object.hasOwn(ERRORS, code)
    return new ExomonadError(
      known ? (code as ErrorCode) : 'INTERNAL',
      error,
      known ? facts : { ...facts, code },
    )
  }
  return asExomonadError(
    new Error(`the daemon answered ${status}: ${JSON.stringify(body)?.slice(0, 200)}`),
  )
}

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done, { once: true })
  })
