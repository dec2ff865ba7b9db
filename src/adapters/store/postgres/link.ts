import { setTimeout as delay } from 'node:timers/promises'
import type { ExomonadError } from '../../../domain/errors.ts'
import type { Log } from '../../../runtime/log.ts'
import { postgresFault, unavailable } from './faults.ts'
import type { Session } from './session.ts'

/** A session that is opened again whenever it was lost. */
export interface Link {
  /**
   * The session that is up. One that was lost just now is waited for, for a moment; later the answer
   * is STORE_UNAVAILABLE at once, with the reason, until there is one again.
   */
  current(): Promise<Session>
  /** The one that is up, if any. */
  peek(): Session | undefined
  close(): Promise<void>
}

/** Milliseconds: as quick as a server that was restarted is back. */
const GRACE = 1000
const FIRST_DELAY = 50
const LONGEST_DELAY = 1000

/**
 * Keeps a session open, beginning with one that is. `connect` makes it ready for use; what it throws
 * is the reason that callers are given until the next try, which comes after a growing time.
 */
export function createLink(options: {
  first: Session
  connect: () => Promise<Session>
  place: string
  log: Log
}): Link {
  const { connect, place, log } = options
  let session: Session | undefined = options.first
  let back = Promise.withResolvers<void>()
  let lostAt = 0
  let reason: ExomonadError | undefined
  const closing = new AbortController()

  /** Whatever it is: as long as there is no connection, that is what callers have to know. */
  const whyDown = (thrown: unknown): ExomonadError => {
    const fault = postgresFault(thrown, place)
    return fault.code === 'STORE_UNAVAILABLE' ? fault : unavailable(place, fault.message, fault)
  }

  async function reconnect(): Promise<void> {
    let wait = FIRST_DELAY
    while (!closing.signal.aborted) {
      try {
        const opened = await connect()
        if (closing.signal.aborted) return await opened.end()
        session = opened
        log.info(
          { store: place, down: Math.round(performance.now() - lostAt) },
          'the store is back',
        )
        watch(session)
        back.resolve()
        return
      } catch (thrown) {
        const fault = whyDown(thrown)
        if (fault.message !== reason?.message)
          log.warn({ err: fault }, 'the store can’t be reached')
        reason = fault
      }
      await delay(wait, undefined, { signal: closing.signal }).catch(() => {})
      wait = Math.min(wait * 2, LONGEST_DELAY)
    }
  }

  function watch(watched: Session): void {
    void watched.ended.then((why) => {
      if (closing.signal.aborted) return
      session = undefined
      lostAt = performance.now()
      back = Promise.withResolvers()
      reason = whyDown(why)
      log.warn({ err: why, store: place }, 'the connection to the store was lost')
      void reconnect()
    })
  }
  watch(options.first)

  return {
    current: async () => {
      const left = lostAt + GRACE - performance.now()
      if (session === undefined && left > 0)
        await Promise.race([back.promise, delay(left, undefined, { ref: false })])
      // The server may have said goodbye, and the end of the connection is still to come.
      if (session !== undefined && !session.isUp())
        await Promise.race([session.ended, delay(GRACE, undefined, { ref: false })])
      if (session?.isUp() === true) return session
      throw reason ?? unavailable(place, 'the connection was lost')
    },
    peek: () => (session?.isUp() === true ? session : undefined),
    close: async () => {
      closing.abort()
      await session?.end()
    },
  }
}
