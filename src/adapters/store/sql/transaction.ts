import type { Kysely, Transaction } from 'kysely'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Log } from '../../../runtime/log.ts'
import type { Store, StoreTransaction, StoreVerbs } from '../store.ts'
import { runLogged } from './channels.ts'
import type { Runner } from './queries.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/**
 * Transactions, one at a time. Callers queue in the order of asking, and so do verbs outside of a
 * transaction: neither sees nor joins one that is open. Hence the one rule for callers: within the
 * work only `tx`. A verb of the store itself, or a nested `transaction`, that the work awaits waits
 * for the work, for ever; the log then says so.
 *
 * Callbacks run right after the commit and before the next transaction begins, so those of two
 * transactions run in the order of commits.
 */
export function createTransaction(options: {
  db: Kysely<Tables>
  runnerOn: (on: Kysely<Tables>) => Runner
  /** Runs with the commit of the transaction that is open now; never if it rolls back. */
  onCommit: (callback: () => void) => void
  verbsOn: (session: Omit<Session, 'wake'>) => StoreVerbs
  log: Log
}): Store['transaction'] {
  const { db, runnerOn, onCommit, verbsOn, log } = options

  async function run<Result>(
    own: Transaction<Tables>,
    work: (tx: StoreTransaction) => Promise<Result>,
  ): Promise<Result> {
    let open = true
    const afterCommit = (callback: () => void): void => {
      if (!open)
        throw new ExomonadError(
          'INTERNAL',
          'A callback came after the end of its transaction: something in it was not awaited.',
        )
      onCommit(() => runLogged(callback, log, 'A callback after a commit failed'))
    }
    const slow = setTimeout(() => log.warn(SLOW_MESSAGE), SLOW_MILLISECONDS).unref()
    const runner = runnerOn(own)
    try {
      return await work({
        ...verbsOn({ ...runner, atomic: (inner) => inner(runner), afterCommit }),
        afterCommit,
      })
    } finally {
      open = false
      clearTimeout(slow)
    }
  }

  return (work) => db.transaction().execute((own) => run(own, work))
}

const SLOW_MILLISECONDS = 10_000
const SLOW_MESSAGE =
  'A transaction has been open for 10 s and holds up the store: it does slow work, or waits for a verb outside of it'
