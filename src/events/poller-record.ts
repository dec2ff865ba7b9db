import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Agent, Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/clock.ts'
import type { Actor } from '../ids.ts'
import type { NewEvent } from './event.ts'
import { diffPullRequest } from './pr-diff.ts'
import { deadlinesOf, failuresBefore, reviewPatience, track, untracked, type Deadline, type Tracking } from './pr-tracking.ts'
import type { Publisher } from './publish.ts'

/** What is stored under `pull:<number>`. */
export interface PullRecord {
  readonly snapshot: PullRequestSnapshot
  readonly tracking: Tracking
}

export interface PullRecords {
  /** Diff, events, deliveries, deadlines and the new snapshot: one transaction. */
  apply(found: PullRequestSnapshot, config: Config['forge']): Promise<PullRequestSnapshot>
  get(number: number): Promise<PullRecord | undefined>
  open(): Promise<PullRequestSnapshot[]>
  /** Publishes what is due by now and has not been overtaken. */
  expire(config: Config['forge']): Promise<void>
  nextDeadline(): Promise<number | undefined>
}

const PREFIX = 'pull:'
const deadlineKey = (number: number, kind: Deadline['kind']): string => `${PREFIX}${number}:${kind}`

export function createPullRecords(deps: { store: Store; publisher: Publisher; clock: Clock; repository: string }): PullRecords {
  const { store, publisher, clock, repository } = deps

  const read = async (verbs: Pick<Store, 'snapshots'>, number: number): Promise<PullRecord | undefined> =>
    (await verbs.snapshots.get(`${PREFIX}${number}`)) as PullRecord | undefined

  const ownerOf = async (tx: StoreTransaction, found: PullRequestSnapshot): Promise<Agent | undefined> =>
    found.agentId === null
      ? (await tx.agents.list()).findLast((agent) => agent.branch === found.head.branch && agent.kind !== 'fork')
      : tx.agents.get(found.agentId)

  /** Who decided here on a merge that now has happened. */
  const mergeStartedBy = async (tx: StoreTransaction, old: PullRequestSnapshot | null, next: PullRequestSnapshot): Promise<Actor | null> => {
    if (next.state !== 'merged' || old?.state === 'merged') return null
    const started = await tx.events.list({ types: ['merge.started'], last: 500 })
    return started.findLast(({ payload }) => payload['number'] === next.number)?.actor ?? null
  }

  const baseMoved = async (tx: StoreTransaction, { base }: PullRequestSnapshot): Promise<void> => {
    if (base.sha === null) return
    const key = `base:${base.branch}`
    const before = (await tx.snapshots.get(key))?.['sha']
    if (before === base.sha) return
    await tx.snapshots.put(key, { sha: base.sha })
    if (typeof before !== 'string') return
    const agent = (await tx.agents.list({ live: true })).find(({ branch, kind }) => branch === base.branch && kind !== 'fork')
    const payload = { branch: base.branch, old: before, new: base.sha }
    await publisher.publish(
      { type: 'base.moved', agentId: agent?.id ?? null, actor: 'daemon', payload, dedupeKey: `${repository}:base:${base.branch}:${base.sha}` },
      tx,
    )
  }

  return {
    get: (number) => read(store, number),
    open: async () => {
      const records = await store.snapshots.list(PREFIX)
      return [...records.values()].map((record) => (record as unknown as PullRecord).snapshot).filter(({ state }) => state === 'open')
    },

    apply: (found, config) =>
      store.transaction(async (tx) => {
        const record = await read(tx, found.number)
        const owner = await ownerOf(tx, found)
        const next: PullRequestSnapshot = { ...found, agentId: found.agentId ?? owner?.id ?? null }
        const old = record?.snapshot ?? null
        const before = record?.tracking ?? untracked(clock())
        const events = diffPullRequest(old, next, {
          repository,
          newsSince: Math.max(next.createdAt, owner?.spawnedAt ?? 0),
          lastMergeable: before.lastMergeable,
          failures: failuresBefore(before, next.head.sha),
          mergeStartedBy: await mergeStartedBy(tx, old, next),
        })
        const published: NewEvent[] = []
        // What was told before (its key is known) is no progress.
        for (const event of events) if ((await publisher.publish(event, tx)) !== undefined) published.push(event)
        await baseMoved(tx, next)
        const tracking = track(before, next, published, clock())
        if (tracking.rounds > before.rounds && tracking.rounds % config.stalled_rounds === 0) {
          const reason = `${tracking.rounds} rounds of review or checks, and not green`
          await publisher.publish(stalled(next, reason, `stall:${next.head.sha}:${tracking.rounds}`), tx)
        }
        if (next.state !== 'open') await tx.deadlines.removePrefix(`${PREFIX}${next.number}:`)
        else if (published.length > 0) {
          await tx.deadlines.removePrefix(`${PREFIX}${next.number}:`)
          for (const { kind, at } of deadlinesOf(tracking, next, config))
            await tx.deadlines.set(deadlineKey(next.number, kind), at, { number: next.number, kind })
        }
        await tx.snapshots.put(`${PREFIX}${next.number}`, { snapshot: next, tracking })
        return next
      }),

    expire: (config) =>
      store.transaction(async (tx) => {
        for (const { key, data } of (await tx.deadlines.due(clock())).filter((deadline) => deadline.key.startsWith(PREFIX))) {
          await tx.deadlines.remove(key)
          const record = await read(tx, Number(data['number']))
          const kind = data['kind'] as Deadline['kind']
          // Decided on what is known now: a setting may have changed, a review may have come.
          const due = record && deadlinesOf(record.tracking, record.snapshot, config).find((deadline) => deadline.kind === kind)
          if (record === undefined || due === undefined) continue
          const { snapshot, tracking } = record
          if (due.at > clock()) await tx.deadlines.set(key, due.at, data)
          else if (kind === 'stalled') {
            const minutes = Math.round((clock() - tracking.progressAt) / 60_000)
            await publisher.publish(stalled(snapshot, `nothing happened for ${minutes} minutes`, `stall:${snapshot.head.sha}:${tracking.progressAt}`), tx)
          } else {
            const minutes = Math.round(reviewPatience(tracking, config) / 60)
            const payload = { ...factsOf(snapshot), minutes }
            const dedupeKey = `${repository}#${snapshot.number}:rto:${snapshot.head.sha}`
            await publisher.publish({ type: 'review.timeout', agentId: snapshot.agentId, actor: 'daemon', payload, dedupeKey }, tx)
          }
        }
      }),

    nextDeadline: async () => (await store.deadlines.due(Number.MAX_SAFE_INTEGER)).find(({ key }) => key.startsWith(PREFIX))?.at,
  }

  function stalled(pull: PullRequestSnapshot, reason: string, key: string): NewEvent {
    const dedupeKey = `${repository}#${pull.number}:${key}`
    return { type: 'pr.stalled', agentId: pull.agentId, actor: 'daemon', payload: { ...factsOf(pull), reason }, dedupeKey }
  }
}

const factsOf = ({ number, title, url, head, base }: PullRequestSnapshot) => ({ number, title, url, head: head.branch, base: base.branch })
