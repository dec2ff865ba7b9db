import type { Kysely } from 'kysely'
import type { Log } from '../../../runtime/log.ts'
import type { Store, StoreVerbs } from '../store.ts'
import { createChannels } from './channels.ts'
import type { Differences } from './differences.ts'
import { createRunners } from './queries.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'
import { createTransaction } from './transaction.ts'
import { createVerbs } from './verbs.ts'
import { forgetFinished } from './verbs/retention.ts'

/**
 * The part of a store that is the same for every dialect, on a database whose schema is up to date.
 * `onCommit` runs a callback with the commit of the transaction that is open now, before anybody
 * else gets the connection.
 */
export async function createSqlStore(options: {
  db: Kysely<Tables>
  differences: Differences
  onCommit: (callback: () => void) => void
  log: Log
  clock: () => number
}): Promise<Omit<Store, 'backUp' | 'close'>> {
  const { db, differences, onCommit, log, clock } = options
  const runnerOn = createRunners(db, differences)
  const runner = runnerOn(db)
  await forgetFinished(runner, clock())
  const channels = createChannels(log)
  const verbsOn = (session: Session): StoreVerbs => createVerbs(session, channels, clock)
  const outside: Session = {
    ...runner,
    atomic: (work) => db.transaction().execute((own) => work(runnerOn(own))),
    afterCommit: (callback) => callback(),
  }
  return {
    ...verbsOn(outside),
    transaction: createTransaction({ db, runnerOn, onCommit, verbsOn, log }),
    subscribe: channels.subscribe,
    signal: (agentId) => {
      channels.signal(agentId)
      return Promise.resolve()
    },
  }
}
