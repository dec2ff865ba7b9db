import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, type Connection } from '../../../web/src/live/connection.ts'

/** A WebSocket whose other side says what the test has it say, and of which nothing closes by itself. */
class Socket extends EventTarget {
  closes = 0
  readonly query: URLSearchParams
  constructor(
    url: string,
    readonly protocols: readonly string[],
  ) {
    super()
    this.query = new URL(url).searchParams
    sockets.push(this)
  }
  close(): void {
    this.closes += 1
  }
  says(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
  ends(): void {
    this.dispatchEvent(new Event('close'))
  }
}
let sockets: Socket[] = []
let answer: () => Promise<Response>
let connection: Connection
const event = (seq: number) => ({ seq, type: 'x', at: 0, agentId: null, payload: {} })
let build = ''
/** Of the window. */
let listeners: EventTarget
const session = () =>
  Promise.resolve(
    Response.json({
      ...{ read_only: false, build },
      expires_at: '2026-01-01T00:00:00Z',
      now: new Date().toISOString(),
      resume: 'r',
    }),
  )

beforeEach(() => {
  vi.useFakeTimers()
  sockets = []
  answer = session
  build = 'a'
  listeners = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, listeners[name].bind(listeners))
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4000' })
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => {}, removeItem: () => {} })
  vi.stubGlobal('fetch', () => answer())
})
afterEach(() => {
  connection.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('the connection', () => {
  it('is one, however often somebody presses “Try now”', async () => {
    const waits = Promise.withResolvers<void>()
    answer = () => waits.promise.then(session)
    connection = connect()
    for (let press = 0; press < 5; press += 1) connection.retry()
    waits.resolve()
    await vi.advanceTimersByTimeAsync(3000)
    expect(sockets).toHaveLength(1)
  })

  it('is lost when nothing is heard, though the other side does not take leave', async () => {
    connection = connect()
    const seen: number[] = []
    connection.onEvent(({ seq }) => seen.push(seq))
    await settled()
    sockets[0]?.says({ connected: 7 })
    expect(connection.get().link).toBe('live')
    await vi.advanceTimersByTimeAsync(5000)
    expect(connection.get().link).toBe('lost')
    await vi.advanceTimersByTimeAsync(1000)
    expect(sockets).toHaveLength(2)
    expect(sockets[1]?.query.get('after')).toBe('7')
    sockets[1]?.says({ connected: 7 })
    sockets[1]?.says(event(8))
    // What still comes over the one that was given up is not heard twice, and ends nothing.
    sockets[0]?.says(event(8))
    sockets[0]?.ends()
    expect(seen).toEqual([8])
    expect(connection.get().link).toBe('live')
  })

  it('tells times by the daemon’s clock, where that is another', async () => {
    const hour = 3_600_000
    const [daemon] = [session().then((response) => response.json())]
    const said = { ...((await daemon) as object), now: new Date(Date.now() + hour).toISOString() }
    answer = () => Promise.resolve(Response.json(said))
    connection = connect()
    await settled()
    sockets[0]?.says({ connected: 1 })
    sockets[0]?.ends()
    const since = connection.get().lostSince ?? 0
    expect(Math.abs(since - Date.now() - hour)).toBeLessThan(2000)
  })

  it('is lost since it was heard last, though the machine slept meanwhile', async () => {
    connection = connect()
    await settled()
    sockets[0]?.says({ connected: 1 })
    const heard = Date.now()
    vi.setSystemTime(heard + 3_600_000)
    await vi.advanceTimersByTimeAsync(5000)
    expect(connection.get()).toMatchObject({ link: 'lost', lostSince: heard })
  })

  it('is there again when another tab opens a link, which ended what this one had', async () => {
    const refused = () =>
      Promise.resolve(Response.json({ error: 'over', code: 'UNAUTHORIZED' }, { status: 401 }))
    answer = refused
    connection = connect()
    await settled()
    expect(connection.get().access.kind).toBe('none')
    answer = session
    const says = (key: string, newValue: string | null) =>
      listeners.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }))
    says('exomonad.theme', 'dark')
    // It logged out.
    says('exomonad.page', null)
    await settled()
    expect(sockets).toHaveLength(0)
    says('exomonad.page', 'new')
    await settled()
    sockets[0]?.says({ connected: 1 })
    expect(connection.get()).toMatchObject({ access: { kind: 'open' }, link: 'live' })
  })

  it('is so too where that happens while it asks', async () => {
    let key = 'old'
    vi.stubGlobal('localStorage', { getItem: () => key })
    answer = () => {
      if (key === 'new') return session()
      key = 'new'
      return Promise.resolve(Response.json({ error: '', code: 'UNAUTHORIZED' }, { status: 401 }))
    }
    connection = connect()
    await settled()
    expect(sockets).toHaveLength(1)
  })

  it('says that the daemon has another page by now', async () => {
    connection = connect()
    await settled()
    sockets[0]?.says({ connected: 1 })
    sockets[0]?.ends()
    await vi.advanceTimersByTimeAsync(1000)
    sockets[1]?.says({ connected: 1 })
    expect(connection.get().isOld).toBe(false)
    build = 'b'
    sockets[1]?.ends()
    await vi.advanceTimersByTimeAsync(1000)
    sockets[2]?.says({ connected: 1 })
    expect(connection.get().isOld).toBe(true)
  })

  it('begins anew where the daemon has another store', async () => {
    connection = connect()
    const starts = vi.fn()
    connection.onStart(starts)
    await settled()
    sockets[0]?.says({ connected: 900 })
    sockets[0]?.ends()
    await vi.advanceTimersByTimeAsync(1000)
    expect(sockets[1]?.query.get('after')).toBe('900')
    sockets[1]?.says({ error: 'after is 900, …', code: 'INVALID_ARG', field: 'after', last: 3 })
    sockets[1]?.ends()
    await vi.advanceTimersByTimeAsync(2000)
    expect(sockets[2]?.query.get('last')).toBe('0')
    sockets[2]?.says({ connected: 3 })
    expect(starts).toHaveBeenCalledTimes(2)
    expect(connection.get().link).toBe('live')
  })

  it('goes on trying where the question whether it is let in is not answered', async () => {
    answer = () => new Promise(() => {})
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) =>
      Promise.race([
        answer(),
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      ]),
    )
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      const ending = new AbortController()
      setTimeout(() => ending.abort(new Error('late')), milliseconds)
      return ending.signal
    })
    connection = connect()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(connection.get().link).toBe('lost')
    answer = session
    await vi.advanceTimersByTimeAsync(1000)
    expect(sockets).toHaveLength(1)
    vi.restoreAllMocks()
  })
})
