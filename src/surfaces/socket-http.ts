import { connect } from 'node:net'
import { ExomonadError } from '../domain/errors.ts'

/**
 * One HTTP/1.1 exchange on a Unix socket over node:net: node:http would double the start-up time of
 * every command.
 */
export interface SocketRequest {
  readonly socket: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the answer’s first byte; default none. */
  readonly timeout?: number
}

export interface SocketResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /**
   * Bytes of the body as they come, transfer coding removed. Ends the connection when left early.
   */
  readonly body: AsyncGenerator<Buffer>
}

/**
 * `connected`: somebody took the request, so what became of it is unknown; otherwise nothing was
 * sent.
 */
const unavailable = (socket: string, connected: boolean, cause: unknown): ExomonadError =>
  new ExomonadError(
    'DAEMON_UNAVAILABLE',
    connected
      ? 'The daemon went away before it answered. `exomonad tree` shows what was done, `exomonad daemon logs` why it went.'
      : 'The daemon of this repository does not answer. `exomonad daemon start` starts it.',
    { socket, connected },
    { cause },
  )

/**
 * Throws DAEMON_UNAVAILABLE where nobody listens or the connection breaks, the signal’s reason when
 * aborted.
 */
export async function requestOverSocket(request: SocketRequest): Promise<SocketResponse> {
  request.signal?.throwIfAborted()
  const connection = connect({ path: request.socket })
  let connected = false
  connection.once('connect', () => (connected = true))
  const abort = (): void => void connection.destroy(new Error('aborted'))
  request.signal?.addEventListener('abort', abort, { once: true })
  connection.once('close', () => request.signal?.removeEventListener('abort', abort))
  if (request.timeout !== undefined)
    connection.setTimeout(request.timeout, () => connection.destroy(new Error('no answer in time')))
  connection.write(head(request) + (request.body ?? ''))

  const reader = createReader(connection)
  try {
    const header = await reader.until('\r\n\r\n')
    connection.setTimeout(0)
    const { status, headers } = parseHead(header)
    return { status, headers, body: bodyOf(reader, headers, () => connection.destroy(), request) }
  } catch (error) {
    connection.destroy()
    request.signal?.throwIfAborted()
    throw unavailable(request.socket, connected, error)
  }
}

function head(request: SocketRequest): string {
  const headers: Record<string, string> = {
    host: 'localhost',
    connection: 'close',
    accept: '*/*',
    ...request.headers,
  }
  if (request.body !== undefined) {
    headers['content-type'] ??= 'application/json'
    headers['content-length'] = String(Buffer.byteLength(request.body))
  }
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`,
  )
  return [`${request.method} ${request.path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

function parseHead(text: string): { status: number; headers: Map<string, string> } {
  const [first = '', ...lines] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
  if (!Number.isInteger(status)) throw new Error(`not an HTTP answer: ${first.slice(0, 80)}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status, headers }
}

interface Reader {
  /** Text up to the mark, which is consumed. Throws where the stream ends first. */
  until(mark: string): Promise<string>
  /** Exactly so many bytes. Throws where the stream ends first. */
  exactly(length: number): Promise<Buffer>
  /** Whatever is there next; undefined at the end. */
  some(limit?: number): Promise<Buffer | undefined>
}

function createReader(source: AsyncIterable<Buffer>): Reader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const next = await chunks.next()
    if (next.done === true) return false
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
    return true
  }
  const take = (length: number): Buffer => {
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  const cut = (): Error => new Error('the connection ended in the middle of an answer')
  return {
    async until(mark) {
      for (;;) {
        const at = held.indexOf(mark)
        if (at >= 0) {
          const text = take(at).toString('utf8')
          take(mark.length)
          return text
        }
        if (!(await more())) throw cut()
      }
    },
    async exactly(length) {
      while (held.length < length) if (!(await more())) throw cut()
      return take(length)
    },
    async some(limit = Number.POSITIVE_INFINITY) {
      if (held.length === 0 && !(await more())) return undefined
      return take(Math.min(limit, held.length))
    },
  }
}

async function* bodyOf(
  reader: Reader,
  headers: ReadonlyMap<string, string>,
  end: () => void,
  request: SocketRequest,
): AsyncGenerator<Buffer> {
  try {
    if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') {
      for (;;) {
        const size = Number.parseInt(await reader.until('\r\n'), 16)
        if (!(size > 0)) return
        yield await reader.exactly(size)
        await reader.until('\r\n')
      }
    }
    let left = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
    while (left > 0) {
      const chunk = await reader.some(left)
      if (chunk === undefined) {
        if (Number.isFinite(left))
          throw new Error('the connection ended in the middle of an answer')
        return
      }
      left -= chunk.length
      yield chunk
    }
  } catch (error) {
    request.signal?.throwIfAborted()
    throw unavailable(request.socket, true, error)
  } finally {
    end()
  }
}

/** The whole body as text. */
export async function readText(response: SocketResponse): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
