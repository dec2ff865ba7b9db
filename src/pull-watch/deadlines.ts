import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { NewEvent } from '../events/event.ts'
import { factsOf } from './pull-facts.ts'
import { deadlinesOf, reviewTimeout, type Deadline } from './tracking.ts'
import { PULL_PREFIX, type PullRecord, type Tracking } from '../core/pulls/pull-records.ts'
import type { Publisher } from '../events/publish.ts'

/** Wall-clock deadlines of pull requests, which survive a restart. */
export interface PullDeadlines {
  /** The present ones of an open pull request, in place of those before. */
  set(
    tx: StoreTransaction,
    pull: PullRequestSnapshot,
    tracking: Tracking,
    config: Config['forge'],
  ): Promise<void>
  drop(tx: StoreTransaction, number: number): Promise<void>
  /** Whose deadline has passed. */
  overdue(): Promise<number[]>
  /**
   * Publishes what is due of those that `known` says were just read, and has not been overtaken: on
   * what was known before, nothing is concluded.
   */
  expire(
    known: (number: number) => boolean,
    options: { config: Config['forge']; repository: string },
  ): Promise<void>
  /** The first that is still to come. */
  next(): Promise<number | undefined>
  /**
   * The clock jumped: everybody’s time limit goes on where it was. With 0: only takes back what
   * lies in the future.
   */
  shift(milliseconds: number, config: Config['forge']): Promise<void>
}

const deadlineKey = (number: number, kind: Deadline['kind']): string =>
  `${PULL_PREFIX}${number}:${kind}`

export function createPullDeadlines({
  store,
  publisher,
  clock,
}: {
  readonly store: Store
  readonly publisher: Publisher
  readonly clock: Clock
}): PullDeadlines {
  const drop = (tx: StoreTransaction, number: number): Promise<void> =>
    tx.deadlines.removePrefix(`${PULL_PREFIX}${number}:`)
  const set: PullDeadlines['set'] = async (tx, pull, tracking, config) => {
    await drop(tx, pull.number)
    for (const { kind, at } of deadlinesOf(tracking, pull, config))
      await tx.deadlines.set(deadlineKey(pull.number, kind), at, { number: pull.number, kind })
  }
  const mine = async (until: number) =>
    (await store.deadlines.due(until)).filter(({ key }) => key.startsWith(PULL_PREFIX))

  return {
    set,
    drop,
    overdue: async () => [
      ...new Set((await mine(clock())).map(({ data }) => Number(data['number']))),
    ],
    next: async () => (await mine(Number.MAX_SAFE_INTEGER)).find(({ at }) => at > clock())?.at,

    expire: async (known, { config, repository }) => {
      if (!(await mine(clock())).some(({ data }) => known(Number(data['number'])))) return
      await store.transaction(async (tx) => {
        for (const { key, data } of await tx.deadlines.due(clock())) {
          if (!key.startsWith(PULL_PREFIX) || !known(Number(data['number']))) continue
          await tx.deadlines.remove(key)
          const record = (await tx.snapshots.get(`${PULL_PREFIX}${Number(data['number'])}`)) as
            | PullRecord
            | undefined
          const kind = data['kind'] as Deadline['kind']
          // Decided on what is known now: a setting may have changed, a review may have come.
          const due =
            record &&
            deadlinesOf(record.tracking, record.snapshot, config).find(
              (deadline) => deadline.kind === kind,
            )
          if (record === undefined || due === undefined) continue
          const { snapshot, tracking } = record
          if (due.at > clock()) await tx.deadlines.set(key, due.at, data)
          else if (kind === 'stalled') {
            const minutes = Math.round((clock() - tracking.progressAt) / 60_000)
            await publisher.publish(
              stalledEvent(
                repository,
                snapshot,
                `nothing happened for ${minutes} minutes`,
                `stall:${snapshot.head.sha}:${tracking.progressAt}`,
              ),
              tx,
            )
          } else {
            const payload = {
              ...factsOf(snapshot),
              minutes: Math.round(reviewTimeout(tracking, config) / 60),
            }
            const dedupeKey = `${repository}#${snapshot.number}:rto:${snapshot.head.sha}`
            await publisher.publish(
              {
                type: 'review.timeout',
                agentId: snapshot.agentId,
                actor: 'daemon',
                payload,
                dedupeKey,
              },
              tx,
            )
          }
        }
      })
    },

    shift: (milliseconds, config) =>
      store.transaction(async (tx) => {
        const set = new Set((await tx.deadlines.due(Number.MAX_SAFE_INTEGER)).map(({ key }) => key))
        for (const [key, record] of (await tx.snapshots.list(PULL_PREFIX)) as unknown as Map<
          string,
          PullRecord
        >) {
          const { snapshot, tracking } = record
          if (snapshot.state !== 'open') continue
          const moved = (at: number): number => Math.min(at + milliseconds, clock())
          const shifted = {
            ...tracking,
            progressAt: moved(tracking.progressAt),
            reviewSince: moved(tracking.reviewSince),
          }
          if (
            shifted.progressAt === tracking.progressAt &&
            shifted.reviewSince === tracking.reviewSince
          )
            continue
          await tx.snapshots.put(key, { ...record, tracking: shifted })
          // Those that were reported stay reported.
          for (const { kind, at } of deadlinesOf(shifted, snapshot, config)) {
            const row = deadlineKey(snapshot.number, kind)
            if (set.has(row)) await tx.deadlines.set(row, at, { number: snapshot.number, kind })
          }
        }
      }),
  }
}

export function stalledEvent(
  repository: string,
  pull: PullRequestSnapshot,
  reason: string,
  key: string,
): NewEvent {
  const dedupeKey = `${repository}#${pull.number}:${key}`
  return {
    type: 'pr.stalled',
    agentId: pull.agentId,
    actor: 'daemon',
    payload: { ...factsOf(pull), reason },
    dedupeKey,
  }
}
