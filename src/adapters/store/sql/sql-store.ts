import type { Kysely } from 'kysely'
import type { Log } from '../../../runtime/log.ts'
import type { Store, StoreVerbs } from '../store.ts'
import { channelOf, type Channels } from './channels.ts'
import type { Differences } from './differences.ts'
import { createRunners, type Given, type Runner, type Tools } from './queries.ts'
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
  channels: Channels
  onCommit: (callback: () => void) => void
  log: Log
  clock: () => number
}): Promise<Omit<Store, 'place' | 'lookEvery' | 'backUp' | 'close'>> {
  const { db, differences, channels, onCommit, log, clock } = options
  const runnerOn = createRunners(db, differences)
  const runner = runnerOn(db)
  await forgetFinished(runner, clock())
  const { notify } = differences
  const NOTIFY =
    notify === null
      ? null
      : (tools: Tools, given: Given<{ channel: string }>) =>
          tools.db.selectNoFrom(notify(given.channel).as('notified'))
  const verbsOn = (session: Omit<Session, 'wake'>): StoreVerbs =>
    createVerbs(
      {
        ...session,
        wake: async (agentId) => {
          if (NOTIFY === null) session.afterCommit(() => channels.signal(agentId))
          else await session.rows(NOTIFY, { channel: channelOf(agentId) })
        },
      },
      clock,
    )
  const outside = {
    ...runner,
    atomic: <Result>(work: (own: Runner) => Promise<Result>) =>
      db.transaction().execute((own) => work(runnerOn(own))),
    afterCommit: (callback: () => void) => callback(),
  }
  return {
    ...verbsOn(outside),
    transaction: createTransaction({ db, runnerOn, onCommit, verbsOn, log }),
    subscribe: channels.subscribe,
    signal: async (agentId) => {
      if (NOTIFY === null) channels.signal(agentId)
      else await runner.rows(NOTIFY, { channel: channelOf(agentId) })
    },
  }
}
