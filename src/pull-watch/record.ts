import { sharesBranch } from '../domain/agent-kinds.ts'
import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { CancelledMerge } from '../adapters/forge/scheduled.ts'
import type { Store, StoreTransaction } from '../adapters/store/store.ts'
import type { Agent } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import { mergeAttempt } from '../core/pulls/merge/attempts.ts'
import type { Actor, BranchName } from '../domain/ids.ts'
import type { NewEvent } from '../events/event.ts'
import { rebasedHeads } from '../domain/rebased-heads.ts'
import { publishLack } from '../core/pulls/lacks.ts'
import { NO_CHECKS, withoutWhatAllLack } from './unchecked.ts'
import { redactUntrusted } from './redact-untrusted.ts'
import { stalledEvent, type PullDeadlines } from './deadlines.ts'
import { diffPullRequest } from './pull-events.ts'
import { factsOf, isByForge } from './pull-facts.ts'
import { failuresBefore, track, untracked } from './tracking.ts'
import { PULL_PREFIX, type PullRecord, type Tracking } from '../core/pulls/pull-records.ts'
import type { Publisher } from '../events/publish.ts'
import { outdated, withdraw } from '../delivery/withdrawal.ts'

export interface PullRecords {
  /**
   * Diff, events, deliveries, deadlines and the new snapshot: one transaction. Undefined: it is
   * none of the tree’s, and nothing is kept of it.
   */
  apply(found: PullRequestSnapshot, options: ApplyOptions): Promise<PullRequestSnapshot | undefined>
  /** Whether it was open when it was seen last and was merged since, by nobody here. */
  mergedElsewhere(found: PullRequestSnapshot): Promise<boolean>
  /**
   * Of one from a fork: says once that its head is called as an agent’s branch is. Returns whether
   * it is.
   */
  reportFork(
    found: PullRequestSnapshot,
    options: Pick<ApplyOptions, 'repository'>,
  ): Promise<boolean>
  /**
   * It is not there any more: closed, as far as anybody knows. Nothing where it was not known as
   * open.
   */
  gone(number: number, options: ApplyOptions): Promise<void>
  /** All, as they were last seen. */
  known(): Promise<PullRequestSnapshot[]>
  /** Branches of agents that may file, or have filed, pull requests. */
  heads(): Promise<Set<BranchName>>
  /** Those of agents that live and have a base; `rests`: its turn is over. */
  livingHeads(): Promise<Map<BranchName, { readonly rests: boolean }>>
}

export interface ApplyOptions {
  readonly config: Config['forge']
  /** Begins the dedupe keys: the forge’s name of the repository. */
  readonly repository: string
  /** Git remote that holds the branches. */
  readonly remote: string
  /** Why the base here does not have a merge that was made on the forge. */
  readonly localError?: string | undefined
  /** The forge was to merge it by itself, and does not any more. */
  readonly cancelled?: CancelledMerge | undefined
}

export function createPullRecords(deps: {
  readonly store: Store
  readonly publisher: Publisher
  readonly clock: Clock
  readonly deadlines: Pick<PullDeadlines, 'set' | 'drop'>
}): PullRecords {
  const { store, publisher, clock, deadlines } = deps

  const read = async (
    verbs: Pick<Store, 'snapshots'>,
    number: number,
  ): Promise<PullRecord | undefined> =>
    (await verbs.snapshots.get(`${PULL_PREFIX}${number}`)) as PullRecord | undefined

  const ownerOf = async (
    tx: StoreTransaction,
    found: PullRequestSnapshot,
    record: PullRecord | undefined,
  ): Promise<Agent | undefined> => {
    const id = found.agentId ?? (found.trusted ? null : (record?.snapshot.agentId ?? null))
    if (id !== null) return tx.agents.get(id)
    return found.trusted
      ? (await tx.agents.list()).findLast(
          (agent) => agent.branch === found.head.branch && !sharesBranch(agent),
        )
      : undefined
  }

  /**
   * Who decided here on a merge that now has happened; where that was somebody else’s, whose own
   * came to nothing.
   */
  const mergeAttempts = async (
    tx: Pick<Store, 'events' | 'journal'>,
    old: PullRequestSnapshot | null,
    next: PullRequestSnapshot,
  ): Promise<{ mergeStartedBy: Actor | null; mergeScheduled: boolean; triedBy: Actor[] }> => {
    const triedBy = new Set<Actor>()
    let mergeStartedBy: Actor | null = null
    let mergeScheduled = false
    if (next.state !== 'merged' || old?.state === 'merged')
      return { mergeStartedBy, mergeScheduled, triedBy: [] }
    for (const { actor, payload } of await tx.events.list({
      types: ['merge.started'],
      last: 500,
    })) {
      if (payload['number'] !== next.number || payload['url'] !== next.url) continue
      const journal = payload['journal']
      const entry = typeof journal === 'string' ? await tx.journal.get(journal) : undefined
      const attempt = typeof journal === 'string' ? mergeAttempt(entry) : 'asked'
      if (attempt === 'made' || (attempt === 'asked' && next.mergedByOther !== true)) {
        mergeStartedBy = actor
        mergeScheduled = entry?.data['scheduled'] !== undefined
      } else triedBy.add(actor)
    }
    return { mergeStartedBy, mergeScheduled, triedBy: [...triedBy] }
  }

  const baseMoved = async (
    tx: StoreTransaction,
    base: PullRequestSnapshot['base'],
    repository: string,
  ): Promise<void> => {
    if (base.sha === null) return
    const key = `base:${base.branch}`
    const known = await tx.snapshots.get(key)
    const before = known?.['sha']
    if (before === base.sha) return
    await tx.snapshots.put(key, { ...known, sha: base.sha })
    if (typeof before !== 'string') return
    const agent = (await tx.agents.list({ live: true })).find(
      (one) => one.branch === base.branch && !sharesBranch(one),
    )
    const payload = { branch: base.branch, old: before, new: base.sha }
    await publisher.publish(
      {
        type: 'base.moved',
        agentId: agent?.id ?? null,
        actor: 'daemon',
        payload,
        dedupeKey: `${repository}:base:${base.branch}:${base.sha}`,
      },
      tx,
    )
  }

  /**
   * What else goes into it is looked at anew; until then nobody is notified that it can be merged
   * (withdrawal.ts).
   */
  const noteMerge = async (tx: StoreTransaction, branch: BranchName): Promise<void> => {
    const key = `base:${branch}`
    await tx.snapshots.put(key, {
      ...(await tx.snapshots.get(key)),
      mergedSeq: await tx.events.lastSeq(),
    })
  }

  const applyIn = async (
    tx: StoreTransaction,
    found: PullRequestSnapshot,
    { config, repository, remote, localError, cancelled }: ApplyOptions,
  ): Promise<PullRequestSnapshot | undefined> => {
    const record = await read(tx, found.number)
    const owner = await ownerOf(tx, found, record)
    if (record === undefined && (!found.trusted || owner === undefined || owner.cleanedAt !== null))
      return undefined
    const next = redactUntrusted({ ...found, agentId: found.agentId ?? owner?.id ?? null })
    const old = record?.snapshot ?? null
    const { same: sameHead } = await rebasedHeads(tx.snapshots, next.head.branch)
    const withdrawn = async (tracking: Tracking): Promise<Tracking> => {
      const known = { pull: next, tracking, sameHead }
      const gone = await withdraw({ ...deps, tx }, next.url, (event, { recipient }) =>
        outdated(event, recipient, known),
      )
      return gone.length === 0
        ? tracking
        : { ...tracking, withdrawn: (tracking.withdrawn ?? 0) + 1 }
    }
    // Before what is new now: that may be so again.
    const before = await withdrawn(record?.tracking ?? untracked(clock()))
    const diff = diffPullRequest(old, next, {
      repository,
      newsSince: Math.max(next.createdAt, owner?.spawnedAt ?? 0),
      lastMergeable: before.lastMergeable,
      failures: failuresBefore(before, next.head.sha),
      sameHead,
      withdrawn: before.withdrawn ?? 0,
      ...(await mergeAttempts(tx, old, next)),
      remote,
      ...(localError === undefined ? {} : { localError }),
      cancelled,
    })
    const { events, lacks } = await withoutWhatAllLack(tx, next, diff)
    if (lacks)
      await publishLack(
        { publisher, verbs: tx, tx },
        { forge: config.kind, repository },
        NO_CHECKS[config.kind],
      )
    const published: NewEvent[] = []
    // What was reported before (its key is known) is no progress.
    for (const event of events)
      if ((await publisher.publish(event, tx)) !== undefined) published.push(event)
    await baseMoved(tx, next.base, repository)
    if (next.state === 'merged' && old?.state !== 'merged') await noteMerge(tx, next.base.branch)
    const tracking = await withdrawn({
      ...track(before, next, published, clock()),
      lookedSeq: await tx.events.lastSeq(),
    })
    if (
      next.state === 'open' &&
      tracking.rounds > before.rounds &&
      tracking.rounds % config.stalled_rounds === 0
    ) {
      const reason = `${tracking.rounds} rounds of review or checks, and not green`
      await publisher.publish(
        stalledEvent(repository, next, reason, `stall:${next.head.sha}:${tracking.rounds}`),
        tx,
      )
    }
    if (next.state !== 'open') await deadlines.drop(tx, next.number)
    else if (record === undefined || published.length > 0)
      await deadlines.set(tx, next, tracking, config)
    await tx.snapshots.put(`${PULL_PREFIX}${next.number}`, { snapshot: next, tracking })
    return next
  }

  const heads: PullRecords['heads'] = async () =>
    new Set(
      (await store.agents.list())
        .filter((agent) => !sharesBranch(agent) && agent.cleanedAt === null)
        .map(({ branch }) => branch),
    )

  return {
    apply: (found, options) => store.transaction((tx) => applyIn(tx, found, options)),

    reportFork: async (found, { repository }) => {
      if (found.trusted || found.state !== 'open' || !(await heads()).has(found.head.branch))
        return false
      await publisher.publish({
        type: 'pr.fork',
        agentId: null,
        actor: 'daemon',
        payload: factsOf(found),
        dedupeKey: `${repository}#${found.number}:fork`,
      })
      return true
    },

    mergedElsewhere: async (found) => {
      const old = (await read(store, found.number))?.snapshot
      if (found.state !== 'merged' || old?.state !== 'open') return false
      return isByForge(found) && (await mergeAttempts(store, old, found)).mergeStartedBy === null
    },

    gone: (number, options) =>
      store.transaction(async (tx) => {
        const known = (await read(tx, number))?.snapshot
        if (known?.state !== 'open') return
        // Its base may have moved since it was seen last.
        await applyIn(
          tx,
          { ...known, state: 'closed', base: { ...known.base, sha: null }, updatedAt: clock() },
          options,
        )
      }),

    known: async () =>
      [...(await store.snapshots.list(PULL_PREFIX)).values()].map(
        (record) => (record as unknown as PullRecord).snapshot,
      ),

    livingHeads: async () => {
      const agents = (await store.agents.list({ live: true })).filter(
        (agent) => !sharesBranch(agent) && agent.cleanedAt === null && agent.baseBranch !== null,
      )
      return new Map(agents.map(({ branch, state }) => [branch, { rests: state === 'idle' }]))
    },

    heads,
  }
}
