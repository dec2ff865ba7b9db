import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Agent, JournalEntry } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { asBranchName, type Actor } from '../../../domain/ids.ts'
import { rebasedHeads } from '../../../domain/rebased-heads.ts'
import type { BranchLock } from '../branch-lock.ts'
import type { MergedPull, Pulls } from '../../core.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Deps } from '../../deps.ts'
import { actorOf } from '../../agents/directory.ts'
import { createLandings } from '../../fold/create.ts'
import { createLandChain } from '../../fold/land-chain.ts'
import { createPendingLandings } from '../../fold/pending.ts'
import type { Landing, LandingOutcome } from '../../fold/landing.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import type { RequireLookedAt } from '../../agents/looked-at.ts'
import type { MergeBase } from './base.ts'
import { createMergeBegin } from './begin.ts'
import { createMergeDirect } from './direct.ts'
import { createWriteStep, createWriteSteps, waitsToLand, type MergeIntent } from './journal.ts'
import { createMergeEnd, type MergeEnd } from './ends.ts'
import { mergeRefusal, redRefusal } from './refusal.ts'
import { createRetargeting } from './retarget.ts'
import { createMergeRights } from './rights.ts'
import { createMergeSchedule, nothingToWaitFor } from './schedule.ts'
import { chooseStrategy } from './strategy.ts'
import { createMergeSettling, ownerOf } from './settle.ts'
import { nextStep, stillLanding } from './words.ts'
import { knownPulls, mergedBranches } from '../pull-records.ts'
import { readPull } from '../pull-views.ts'

export interface MergePull {
  readonly merge: Pulls['merge']
  /**
   * After a crash: finishes a merge that reached the remote, takes back the retargeting of one that
   * didn’t. `waits`: it waits to land, as it did before, or the forge merges it by itself
   * (merge-follow-up.ts). Undefined: can’t be told yet.
   */
  settle(entry: JournalEntry): Promise<'done' | 'undone' | 'waits' | undefined>
  /**
   * Journal ids of merges whose outcome this process doesn’t know: the remote failed in the middle.
   */
  readonly stuck: ReadonlySet<string>
  /** What waited to land when the daemon ended waits again. Once, after all has been settled. */
  resume(): Promise<void>
  stop(): Promise<void>
}

/** How long the settling of one merge is waited for; it goes on in the background. Milliseconds. */
const TIMEOUT = 5_000

type MergeInput = Parameters<Pulls['merge']>[1]
type MergeOptions = Parameters<Pulls['merge']>[2]

/**
 * Merges, journaled step by step (merge-journal.ts), so that a crash or a lost answer leaves a pull
 * request merged or as it was.
 */
export function createMergePull(
  deps: Pick<
    Deps,
    | 'store'
    | 'git'
    | 'forge'
    | 'polling'
    | 'settings'
    | 'publisher'
    | 'clock'
    | 'log'
    | 'onJournalStep'
  > & {
    branchLock: BranchLock
    mergeBase: MergeBase
    requireLookedAt: RequireLookedAt
  },
): MergePull {
  const { store, forge, polling, settings, clock, log } = deps
  const step = createWriteStep(deps)
  const steps = createWriteSteps(deps)
  const base = deps.mergeBase
  const retargeting = createRetargeting(deps)
  const settling = createMergeSettling({ ...deps, step, base, retargeting })
  const stuck = new Set<string>()
  /** Journal ids whose settling is under way. */
  const beingSettled = new Set<string>()
  const rights = createMergeRights(deps)
  const schedule = createMergeSchedule(deps)
  const { intentOf, begin } = createMergeBegin(deps)
  const mergeDirect = createMergeDirect({ ...deps, step, retargeting, settling, stuck })
  let resumed = false

  const landings =
    forge.results === null
      ? null
      : createLandings({
          ...deps,
          results: forge.results,
          steps,
          land: createLandChain({
            ...deps,
            results: forge.results,
            steps,
            retargeting,
            settling,
            stuck,
          }),
        })

  const pending = createPendingLandings()

  const isLanding = async (number: number): Promise<boolean> =>
    (await store.journal.open()).some(
      ({ kind, data }) =>
        kind === 'merge' && data['number'] === number && data['queuedAt'] !== undefined,
    )

  /** It is merged in another way now. False where it is being landed already. */
  const withdraw = async (number: number): Promise<boolean> =>
    (await landings?.queue.withdraw(number, 'it is merged without the check')) ?? false

  const outcomeOf = (
    outcome: LandingOutcome | null,
    pull: PullRequestSnapshot,
    followed: string | null,
    answer: (
      sha: string,
      retargeted: readonly number[],
      error: string | undefined,
    ) => Promise<MergedPull>,
  ): MergedPull | Promise<MergedPull> => {
    if (outcome === null || outcome.kind === 'unsettled') return stillLanding(pull, followed)
    if (outcome.kind === 'landed') return answer(outcome.sha, outcome.retargeted, outcome.pullError)
    if (outcome.kind === 'red') throw redRefusal(pull, outcome.red)
    throw new ExomonadError(
      'PR_NOT_MERGEABLE',
      `#${pull.number} was not merged: ${outcome.reason}.`,
      { reasons: [outcome.reason] },
    )
  }

  /** Whether its result has to be known to be good before it lands. */
  const checksResult = async (pull: PullRequestSnapshot, force: boolean): Promise<boolean> => {
    const { results } = forge
    if (results === null || force || landings === null) return false
    const { check_result: wanted } = (await settings.config()).merge
    if (wanted === 'off' || !(await results.required())) return false
    return wanted === 'always' || landings.overlaps(pull)
  }

  const landingOf = (
    journal: string,
    intent: MergeIntent,
    waits: Pick<Landing, 'ended' | 'progress' | 'awaited'>,
  ): Landing => ({
    journal,
    intent,
    number: intent.number,
    title: intent.title ?? '',
    url: intent.url ?? '',
    base: asBranchName(intent.base),
    head: intent.expectedHead as Landing['head'],
    by: intent.by as Actor,
    ...waits,
  })

  /**
   * It waits for its result. Returns what waits for that, with `wait`, until it has come or the
   * caller goes away; null where it goes on without.
   */
  const land = async (
    pull: PullRequestSnapshot,
    intent: MergeIntent,
    child: Agent | undefined,
    { wait, signal, progress }: MergeOptions & { wait: boolean },
  ) => {
    const journal = randomUUID()
    const queued = { ...intent, queuedAt: clock(), awaited: wait }
    await begin(journal, 'queued', queued, pull, child)
    const waits = pending.begin(pull.number, intent.by as Actor)
    // Until `add` returns its caller is there in any case.
    const waiter = pending.join(
      pull.number,
      intent.by as Actor,
      wait ? { signal, progress } : { progress },
    )!
    try {
      await landings!.queue.add(landingOf(journal, queued, waits))
    } finally {
      if (!wait) waiter.leave()
    }
    if (wait) progress?.(`Waiting for the result of #${pull.number} with ${pull.base.branch}`)
    return waiter.outcome
  }

  /** Returns what waits for the outcome: a check that takes its time must not hold the branch. */
  const mergeNow = async (
    caller: Caller,
    input: MergeInput,
    pull: PullRequestSnapshot,
    options: MergeOptions,
  ): Promise<() => Promise<MergedPull>> => {
    const agents = await store.agents.list()
    const child = pull.trusted ? ownerOf(agents, pull.head.branch) : undefined
    await rights.requireBaseOwner(caller, pull, child, agents)
    const followed = await deps
      .requireLookedAt(pull, input.head)
      .catch(async (refused: unknown) => {
        // What came may not have been told of yet.
        await polling.poll([pull.number])
        throw refused
      })
    let instead: string | null = null
    const answer = async (
      sha: string,
      retargeted: readonly number[],
      pullError: string | undefined,
    ): Promise<MergedPull> => {
      const over = mergedBranches(await knownPulls(store))
      const siblings = agents.filter(
        (agent) =>
          agent.baseBranch === pull.base.branch &&
          agent.id !== child?.id &&
          agent.ownsWorktree &&
          isAlive(agent.state) &&
          !over.has(agent.branch),
      )
      return {
        merged: true,
        state: 'merged',
        sha,
        local_synced: pullError === undefined,
        ...(pullError === undefined ? {} : { pull_error: pullError }),
        ...(followed === null ? {} : { rebased_from: followed }),
        retargeted: [...retargeted],
        siblings_behind: siblings.map((agent) => agent.branch),
        next: nextStep({
          base: pull.base.branch,
          remote: forge.remote,
          pullError,
          siblings: siblings.length,
          child,
          agents,
          followed,
          instead,
        }),
      }
    }

    /** Listened for from here on: it may be over before it is waited for. */
    const listen = (): MergeEnd | null =>
      input.wait === true && forge.scheduled !== null ? createMergeEnd(deps, pull) : null
    const onceEnded = (going: MergedPull, end: MergeEnd | null) => async () =>
      end === null
        ? going
        : end.outcome(going, (sha, localError) => answer(sha, [], localError), options ?? {})
    const standing = schedule.standing(pull, input)
    if (standing !== null) return onceEnded(standing, listen())
    const { strategy, queue, ...chosen } = await chooseStrategy(
      forge,
      pull,
      input.strategy,
      child?.kind === 'worker' ? 'squash' : 'merge',
    )
    instead = chosen.instead
    const landing = await isLanding(pull.number)
    // What can't be forced goes on landing.
    const way = landing && !input.force ? 'now' : await schedule.wayOf(pull, input, { queue })
    if (landing && !(input.force && (await withdraw(pull.number)))) {
      const waiter =
        input.wait === true ? pending.join(pull.number, actorOf(caller), options ?? {}) : undefined
      if (waiter === undefined) return async () => stillLanding(pull, followed)
      options?.progress?.(`Waiting for the result of #${pull.number} with ${pull.base.branch}`)
      return async () => outcomeOf(await waiter.outcome(), pull, followed, answer)
    }
    const unpublished = await base.publish(pull.base.branch, ownerOf(agents, pull.base.branch))
    const intent = {
      ...(await intentOf(pull, actorOf(caller), strategy, child)),
      ...(way === 'now' ? {} : { way }),
    }

    if (await checksResult(pull, input.force)) {
      const coming = await land(pull, intent, child, { ...options, wait: input.wait === true })
      return async () =>
        outcomeOf(await coming(), pull, followed, (sha, moved, error) =>
          answer(sha, moved, unpublished ?? error),
        )
    }

    const journal = randomUUID()
    await begin(journal, 'intent', intent, pull, child)
    const end = listen()
    const done = await mergeDirect(journal, intent, pull).catch((thrown: unknown) => {
      end?.leave()
      throw thrown
    })
    if (done.kind !== 'scheduled') end?.leave()
    if (done.kind === 'refused') {
      await polling.poll([pull.number])
      throw mergeRefusal(forge, pull, done.result)
    }
    if (done.kind === 'scheduled') {
      await polling.poll([pull.number])
      return onceEnded(schedule.answer(pull, done, { followed, instead }), end)
    }
    if (done.kind === 'ready') {
      const now = await readPull(forge, pull.number)
      return mergeNow(caller, { ...input, whenReady: false }, now, options).catch(
        (thrown: unknown) => {
          throw nothingToWaitFor(forge, thrown)
        },
      )
    }
    // What else is open on the base is looked at then too: it has moved.
    await polling.poll([pull.number, ...done.retargeted])
    return () => answer(done.merged.sha, done.retargeted, unpublished ?? done.pullError)
  }

  /**
   * A rebase of exomonad’s own that came between the look and the lock is followed; other commits
   * are not.
   */
  const readAgain = async (pull: PullRequestSnapshot): Promise<PullRequestSnapshot> => {
    const now = await readPull(forge, pull.number)
    if (now.head.sha === pull.head.sha) return now
    const { same } = await rebasedHeads(store.snapshots, now.head.branch)
    if (!same(pull.head.sha, now.head.sha)) await deps.requireLookedAt(now, pull.head.sha)
    return now
  }

  const queueAgain = async (id: string, intent: MergeIntent): Promise<void> => {
    // Who waited for it is gone.
    await step(id, 'queued', { awaited: false })
    await landings?.queue.add(
      landingOf(id, intent, pending.begin(intent.number, intent.by as Actor)),
    )
  }

  const settle = async (entry: JournalEntry): Promise<'done' | 'undone' | 'waits' | undefined> => {
    if (waitsToLand(entry)) return 'waits'
    // Nobody waits for it any more: the daemon began anew, or the answer was that it is not known
    // yet.
    const settled = await settling.settle({ ...entry, data: { ...entry.data, awaited: false } })
    if (settled === null) return undefined
    stuck.delete(entry.id)
    if (settled.kind === 'scheduled') return 'waits'
    if (settled.kind === 'waits') {
      if (resumed) await queueAgain(entry.id, entry.data as MergeIntent)
      return 'waits'
    }
    if (settled.kind === 'merged')
      await polling.poll([Number(entry.data['number']), ...(entry.data as MergeIntent).retargeted])
    if (resumed) await landings?.queue.tell()
    return settled.kind === 'merged' ? 'done' : 'undone'
  }

  return {
    stuck,
    merge: async (caller, input, options = {}) => {
      await rights.requireForce(caller, input.force)
      const pull = await readPull(forge, input.number)
      // Not while its stop check rebases it: the head that was looked at would be merged, and the
      // rebased one replayed onto it.
      const outcome = await deps.branchLock(pull.head.branch, async (waited) =>
        mergeNow(caller, input, waited ? await readAgain(pull) : pull, options),
      )
      return outcome()
    },

    settle: async (entry) => {
      if (beingSettled.has(entry.id)) return undefined
      beingSettled.add(entry.id)
      const done = settle(entry).finally(() => beingSettled.delete(entry.id))
      if (forge.kind === 'local') return done
      // A GitHub that hangs holds up neither the daemon’s start nor other upkeep.
      done.catch((thrown: unknown) =>
        log.warn(
          { err: thrown, journal: entry.id },
          'a merge could not be settled; it is tried again',
        ),
      )
      return Promise.race([done, pause(TIMEOUT, undefined, { ref: false })])
    },

    resume: async () => {
      resumed = true
      for (const { id, data } of (await store.journal.open()).filter(waitsToLand))
        await queueAgain(id, data as MergeIntent)
      await landings?.queue.tell()
      await landings?.resume()
    },
    stop: async () => landings?.stop(),
  }
}
