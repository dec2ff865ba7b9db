import type { Forge } from '../adapters/forge/forge.ts'
import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { PullDeadlines } from './deadlines.ts'
import { PULL_PREFIX, type PullRecord } from '../core/pulls/pull-records.ts'

const LOCAL = 'local'
const IDENTITY_KEY = 'poller:identity'
const BASE_PREFIX = 'base:'
const awayPrefix = (whose: string): string => `away:${whose}|`

/**
 * Given the forge’s name of the repository: where it is another one than the records are of (the
 * person changed `forge.kind`, or the remote), they are put away before anything is read, and those
 * of this one are brought back. #1 of one is not #1 of the other.
 */
export function createIdentity(deps: {
  readonly forge: Pick<Forge, 'kind'>
  readonly store: Store
  readonly deadlines: Pick<PullDeadlines, 'set'>
  readonly clock: Clock
  readonly log: Log
}): (identity: string, config: Config['forge']) => Promise<void> {
  const { forge, store, deadlines, clock, log } = deps

  const move = async (tx: StoreTransaction, key: string, to: string): Promise<void> => {
    const value = await tx.snapshots.get(key)
    if (value !== undefined) await tx.snapshots.put(to, value)
    await tx.snapshots.remove(key)
  }

  const putAway = async (tx: StoreTransaction, whose: string): Promise<number> => {
    const keys = [
      ...(await tx.snapshots.keys(PULL_PREFIX)),
      ...(await tx.snapshots.keys(BASE_PREFIX)),
    ]
    for (const key of keys) await move(tx, key, `${awayPrefix(whose)}${key}`)
    await tx.deadlines.removePrefix(PULL_PREFIX)
    return keys.length
  }

  /** Nobody waited while they were away: every time limit begins anew. */
  const bringBack = async (
    tx: StoreTransaction,
    whose: string,
    config: Config['forge'],
  ): Promise<void> => {
    for (const key of await tx.snapshots.keys(awayPrefix(whose))) {
      const original = key.slice(awayPrefix(whose).length)
      await move(tx, key, original)
      if (!original.startsWith(PULL_PREFIX)) continue
      const record = (await tx.snapshots.get(original)) as unknown as PullRecord
      const tracking = { ...record.tracking, progressAt: clock(), reviewSince: clock() }
      await tx.snapshots.put(original, { ...record, tracking })
      await deadlines.set(tx, record.snapshot, tracking, config)
    }
  }

  return async (identity, config) => {
    // There is one local forge in a repository, wherever that is moved to.
    const mine = forge.kind === 'local' ? LOCAL : identity
    await store.transaction(async (tx) => {
      const noted = (await tx.snapshots.get(IDENTITY_KEY))?.['identity']
      // Before there was a second forge nothing was noted: the records are of the local one.
      const before = typeof noted === 'string' ? noted : LOCAL
      if (before !== mine) {
        const count = await putAway(tx, before)
        if (count > 0)
          log.warn(
            { before, now: mine, count },
            'pull requests are on another forge now; what was known of those on the other is put away',
          )
        await bringBack(tx, mine, config)
      }
      if (noted !== mine) await tx.snapshots.put(IDENTITY_KEY, { identity: mine })
    })
  }
}
