import type { Log } from '../../../runtime/log.ts'
import { unavailable } from './faults.ts'
import type { Session } from './session.ts'

/**
 * Commits of which the answer never came, because the connection went away on its way. The server
 * knows what became of them, by the number of the transaction: it is asked as soon as there is a
 * connection again, before anything else is. Nobody goes on with a guess meanwhile, as a call that
 * says "not done" of what was done is made twice.
 */
export interface Commits {
  /**
   * Resolves when the transaction is known to have been committed, after `committed` was called;
   * throws STORE_UNAVAILABLE when it is known not to have been.
   */
  settle(xid: string, committed: () => void): Promise<void>
  /** To be called with each new session, before anybody uses it. */
  ask(session: Session): Promise<void>
  /** The store is closed: whoever still waits is let go with STORE_UNAVAILABLE. */
  abandon(): void
}

interface Open {
  readonly xid: string
  readonly known: (outcome: boolean | 'unknown') => void
}

export function createCommits(place: string, log: Log): Commits {
  const open = new Set<Open>()
  return {
    settle: async (xid, committed) => {
      const outcome = Promise.withResolvers<boolean | 'unknown'>()
      open.add({
        xid,
        known: (was) => {
          if (was === true) committed()
          outcome.resolve(was)
        },
      })
      const was = await outcome.promise
      if (was === true) return
      throw unavailable(
        place,
        was === 'unknown'
          ? 'the connection was cut in the middle of a commit, and the daemon stops before it is known whether this was done'
          : 'the connection was cut in the middle of a commit; nothing of it was done',
      )
    },
    ask: async (session) => {
      for (const one of open) {
        const { rows } = await session.run<{ status: string | null }>(
          'select pg_xact_status($1::xid8) as status',
          [one.xid],
        )
        const was = rows[0]?.status === 'committed'
        log.warn({ xid: one.xid, committed: was }, 'what became of a commit that was cut off')
        open.delete(one)
        one.known(was)
      }
    },
    abandon: () => {
      for (const one of open) one.known('unknown')
      open.clear()
    },
  }
}
