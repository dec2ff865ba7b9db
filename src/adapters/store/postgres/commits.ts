import type { Log } from '../../../runtime/log.ts'
import { unavailable } from './faults.ts'
import type { Session } from './session.ts'

/**
 * Commits of which the answer never came, because the connection went away on its way. The server
 * knows what became of them: each transaction that changes anything leaves its mark in one row of
 * the daemon's own, and that is looked at as soon as there is a connection again, before anything
 * else is done. (The number of the transaction says nothing: a server that was killed before it had
 * written anything of it down gives the same number to the next.) Nobody goes on with a guess
 * meanwhile, as a call that says "not done" of what was done is made twice.
 */
export interface Commits {
  /** Makes the row where there is none. To be called with each new session, first of all. */
  prepare(session: Session): Promise<void>
  /**
   * Marks the transaction that is open, with what is sent behind it; returns what it is known by, null
   * where there is no row yet.
   */
  mark(session: Session): string | null
  /**
   * Resolves when the transaction is known to have been committed, after `committed` was called;
   * throws STORE_UNAVAILABLE when it is known not to have been.
   */
  settle(id: string, committed: () => void): Promise<void>
  /** To be called with each new session, before anybody writes. */
  ask(session: Session): Promise<void>
  /** The store is closed: whoever still waits is let go with STORE_UNAVAILABLE. */
  abandon(): void
}

interface Open {
  readonly id: string
  readonly known: (outcome: boolean | 'unknown') => void
}

/** `daemon`: of no other daemon's. */
export function createCommits(daemon: string, place: string, log: Log): Commits {
  const open = new Set<Open>()
  let count = 0
  let isPrepared = false
  return {
    prepare: async (session) => {
      await session.run(
        'create table if not exists last_commit (daemon text primary key, id text not null, at timestamptz not null)',
      )
      // Of daemons that are long over.
      await session.run(
        "delete from last_commit where daemon <> $1 and at < clock_timestamp() - interval '1 day'",
        [daemon],
      )
      await session.run(
        "insert into last_commit values ($1, '', clock_timestamp()) on conflict (daemon) do nothing",
        [daemon],
      )
      isPrepared = true
    },
    mark: (session) => {
      if (!isPrepared) return null
      const id = String(++count)
      // Where this fails, so does the commit.
      session
        .run('update last_commit set id = $2, at = clock_timestamp() where daemon = $1', [
          daemon,
          id,
        ])
        .catch(() => {})
      return id
    },
    settle: async (id, committed) => {
      const outcome = Promise.withResolvers<boolean | 'unknown'>()
      open.add({
        id,
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
      if (open.size === 0) return
      const { rows } = await session.run<{ id: string }>(
        'select id from last_commit where daemon = $1',
        [daemon],
      )
      // They come one after the other: nothing was written since the last of them.
      const last = Number(rows[0]?.id ?? 0)
      for (const one of open) {
        const was = last >= Number(one.id)
        log.warn({ commit: one.id, committed: was }, 'what became of a commit that was cut off')
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
