import type { WireEvent } from '../../../src/surfaces/client.ts'
import { daemonNow } from '../parts/now.ts'
import { onOtherKey, openSocket } from '../api/page-key.ts'
import { openSession, type Access } from '../api/session.ts'

export type { WireEvent }

/** How it stands with the daemon. */
export interface Standing {
  readonly access: Access
  /** `lost`: nothing was heard of the daemon; what is shown may be old. */
  readonly link: 'connecting' | 'live' | 'lost'
  /** When it was heard last, while it is lost. Milliseconds since the epoch, by the daemon’s clock. */
  readonly lostSince: number | null
  /** The daemon serves another page by now than the one that is open. */
  readonly isOld: boolean
}

export interface Connection {
  get(): Standing
  subscribe(listener: () => void): () => void
  /** Called with each event, in their order and once, across restarts of the daemon. */
  onEvent(listener: (event: WireEvent) => void): () => void
  /**
   * Called where events may be missing: at the first connection, and where the daemon’s store is
   * another one than before. Everything is to be read anew.
   */
  onStart(listener: () => void): () => void
  /** Tries again at once. */
  retry(): void
  close(): void
}

/** Seconds between signs of life that are asked for, and milliseconds without one till it is lost. */
const HEARTBEAT = 2
const SILENCE = 5000
/** Milliseconds for the question whether the page is let in. */
const OPENING = 20_000
/** First and longest wait before the next try. Milliseconds. */
const RETRY = { first: 150, longest: 2000 }

/**
 * The daemon’s events over one WebSocket: browsers let a page have six other connections, and each
 * tab would hold one.
 */
export function connect(): Connection {
  let standing: Standing = {
    ...{ access: { kind: 'starting' }, link: 'connecting', lostSince: null, isOld: false },
  }
  let build: string | undefined
  /** When the daemon was heard last: a machine that slept notices much later that it is gone. */
  let heardAt: number | undefined
  let seq: number | undefined
  let socket: WebSocket | undefined
  let silence: number | undefined
  let timer: number | undefined
  let wait = RETRY.first
  let opening = false
  let closed = false
  const listeners = new Set<() => void>()
  const eventListeners = new Set<(event: WireEvent) => void>()
  const startListeners = new Set<() => void>()

  const set = (change: Partial<Standing>) => {
    standing = { ...standing, ...change }
    for (const listener of listeners) listener()
  }
  const later = () => {
    if (closed) return
    clearTimeout(timer)
    timer = window.setTimeout(() => void open(), wait)
    wait = Math.min(wait * 2, RETRY.longest)
  }
  const lost = () => {
    clearTimeout(silence)
    socket = undefined
    if (standing.link !== 'lost') set({ link: 'lost', lostSince: heardAt ?? daemonNow() })
    later()
  }
  const heard = (from: WebSocket) => {
    clearTimeout(silence)
    silence = window.setTimeout(() => {
      from.close()
      // Who says nothing does not take leave either: browsers wait a minute for that.
      if (socket === from) lost()
    }, SILENCE)
  }

  async function open(): Promise<void> {
    // One at a time, however often somebody presses: each would be a stream of all events.
    if (closed || opening || socket !== undefined) return
    clearTimeout(timer)
    opening = true
    let access: Access
    try {
      access = await openSession(AbortSignal.timeout(OPENING))
    } catch {
      return lost()
    } finally {
      opening = false
    }
    if (closed) return
    if (access.kind !== 'open') return set({ access, link: 'lost', lostSince: daemonNow() })
    build ??= access.build
    const query = new URLSearchParams({ heartbeat: String(HEARTBEAT) })
    if (seq === undefined) query.set('last', '0')
    else query.set('after', String(seq))
    const opened = openSocket(`/v1/events?${query}`)
    socket = opened
    heard(opened)
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return
      heard(opened)
      heardAt = daemonNow()
      const message = JSON.parse(String(data)) as
        | WireEvent
        | { readonly connected: number }
        | { readonly alive: true }
        | { readonly error: string; readonly code: string }
      if ('connected' in message) {
        wait = RETRY.first
        const isFirst = seq === undefined
        seq ??= message.connected
        set({ access, link: 'live', lostSince: null, isOld: access.build !== build })
        if (isFirst) for (const listener of startListeners) listener()
      } else if ('seq' in message) {
        seq = message.seq
        for (const listener of eventListeners) listener(message)
      } else if ('code' in message && message.code === 'INVALID_ARG') {
        // Another store than before: its events begin elsewhere.
        seq = undefined
      }
    })
    opened.addEventListener('close', () => {
      if (socket === opened) lost()
    })
  }
  void open()
  const retry = () => {
    wait = RETRY.first
    clearTimeout(timer)
    void open()
  }
  const stopKeys = onOtherKey(() => {
    if (standing.access.kind === 'none') retry()
  })

  const listen =
    <Listener>(set: Set<Listener>) =>
    (listener: Listener): (() => void) => {
      set.add(listener)
      return () => void set.delete(listener)
    }
  return {
    get: () => standing,
    subscribe: listen(listeners),
    onEvent: listen(eventListeners),
    onStart: listen(startListeners),
    retry,
    close: () => {
      stopKeys()
      closed = true
      clearTimeout(timer)
      clearTimeout(silence)
      socket?.close()
    },
  }
}
