import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { Config } from '../../../config/schema.ts'
import type { JournalEntry } from '../../../domain/records.ts'
import { rebasedHeads } from '../../../domain/rebased-heads.ts'
import type { BranchLock } from '../branch-lock.ts'
import type { MergedPull } from '../pull-documents.ts'
import type { Pulls } from '../pull-use-cases.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Deps } from '../../deps.ts'
import { actorOf } from '../../agents/directory.ts'
import type { RequireLookedAt } from '../../agents/looked-at.ts'
import type { LandsHere } from '../../fold/lands-here.ts'
import type { MergeBase } from './base.ts'
import { createMergeBegin } from './begin.ts'
import { createMergeDirect } from './direct.ts'
import { createWriteStep, createWriteSteps, waitsToLand, type MergeIntent } from './journal.ts'
import { createMergeEnd, type MergeEnd } from './ends.ts'
import { mergeRefusal } from './refusal.ts'
import { createRetargeting } from './retarget.ts'
import { requireBaseOwner, requireForce } from './rights.ts'
import { createMergeSchedule, nothingToWaitFor } from './schedule.ts'
import { chooseStrategy, usualStrategy } from './strategy.ts'
import { createMergeSettling, ownerOf } from './settle.ts'
import { stillLanding } from './words.ts'
import { readPull } from '../read-pull.ts'
import { createMergeChecked } from './checked.ts'
import { createMergedAnswer, type MergedAnswer } from './merged-answer.ts'

export interface MergePull {
  readonly merge: Pulls['merge']
  /**
   * After a crash: finishes a merge that reached the remote, takes back the retargeting of one that
   * didn’t. `waits`: it waits to land, as it did before, or the forge merges it by itself
   * (merge-follow-up.ts). Undefined: can’t be determined yet.
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
    /** What merges come to, as far as that is checked here. */
    landResults: MergeResults | null
    landsHere: LandsHere
  },
): MergePull {
  const { store, forge, polling, log } = deps
  const step = createWriteStep(deps)
  const steps = createWriteSteps(deps)
  const base = deps.mergeBase
  const retargeting = createRetargeting(deps)
  const settling = createMergeSettling({ ...deps, step, base, retargeting })
  const stuck = new Set<string>()
  /** Journal ids whose settling is under way. */
  const beingSettled = new Set<string>()
  const schedule = createMergeSchedule(deps)
  const { intentOf, begin } = createMergeBegin(deps)
  const mergeDirect = createMergeDirect({ ...deps, step, retargeting, settling, stuck })
  let resumed = false
  const checked = createMergeChecked({ ...deps, step, steps, retargeting, settling, begin, stuck })
  const answerOf = createMergedAnswer(deps)

  /** Returns what waits for the outcome: a check that takes its time must not hold the branch. */
  const mergeNow = async (
    config: Config,
    caller: Caller,
    input: MergeInput,
    pull: PullRequestSnapshot,
    options: MergeOptions,
  ): Promise<() => Promise<MergedPull>> => {
    const agents = await store.agents.list()
    const child = pull.trusted ? ownerOf(agents, pull.head.branch) : undefined
    requireBaseOwner(config, caller, pull, { author: child, agents })
    const followed = await deps
      .requireLookedAt(pull, input.head)
      .catch(async (refused: unknown) => {
        // What came may not have been reported yet.
        await polling.poll([pull.number])
        throw refused
      })
    const about = { pull, child, agents, followed }
    /** Listened for from here on: it may be over before it is waited for. */
    const listen = (): MergeEnd | null =>
      input.wait === true && forge.scheduled !== null ? createMergeEnd(deps, pull) : null
    const onceEnded = (going: MergedPull, end: MergeEnd | null, answer: MergedAnswer) => async () =>
      end === null
        ? going
        : end.outcome(going, (sha, localError) => answer(sha, [], localError), options ?? {})
    const standing = schedule.standing(pull, input)
    if (standing !== null)
      return onceEnded(standing, listen(), answerOf({ ...about, instead: null }))
    const landsHere =
      !input.force &&
      pull.trusted &&
      (await deps.landsHere(config, pull.base.branch, { fresh: true }))
    const { strategy, queue, instead } = await chooseStrategy(
      forge,
      pull,
      input.strategy,
      usualStrategy(child, landsHere),
    )
    const answer = answerOf({ ...about, instead })
    const landing = await checked.isLanding(pull.number)
    // What can't be forced goes on landing.
    const way = landing && !input.force ? 'now' : await schedule.wayOf(pull, input, { queue })
    if (landing && !(input.force && (await checked.withdraw(pull.number)))) {
      const waiter =
        input.wait === true ? checked.join(pull.number, actorOf(caller), options ?? {}) : undefined
      if (waiter === undefined) return async () => stillLanding(pull, followed)
      options?.progress?.(`Waiting for the result of #${pull.number} with ${pull.base.branch}`)
      return async () => checked.answerOf(await waiter.outcome(), pull, followed, answer)
    }
    const unpublished = await base.publish(pull.base.branch, ownerOf(agents, pull.base.branch))
    const intent = {
      ...(await intentOf(config, pull, options?.by ?? actorOf(caller), strategy, child)),
      ...(way === 'now' ? {} : { way }),
    }

    const here = landsHere && strategy === 'merge' && way === 'now'
    if (await checked.isNeeded(config, pull, { force: input.force, here })) {
      const coming = await checked.land(pull, intent, child, {
        ...options,
        wait: input.wait === true,
      })
      return async () =>
        checked.answerOf(await coming(), pull, followed, (sha, moved, error) =>
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
      return onceEnded(schedule.answer(pull, done, { followed, instead }), end, answer)
    }
    if (done.kind === 'ready') {
      const now = await readPull(forge, pull.number)
      return mergeNow(config, caller, { ...input, whenReady: false }, now, options).catch(
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

  const settle = async (entry: JournalEntry): Promise<'done' | 'undone' | 'waits' | undefined> => {
    if (waitsToLand(entry)) {
      stuck.delete(entry.id)
      return 'waits'
    }
    // Nobody waits for it any more: the daemon began anew, or the answer was that it is not known
    // yet.
    const settled = await settling.settle({ ...entry, data: { ...entry.data, awaited: false } })
    if (settled === null) return undefined
    stuck.delete(entry.id)
    if (settled.kind === 'scheduled') return 'waits'
    if (settled.kind === 'waits') {
      if (resumed) await checked.queueAgain(entry.id, entry.data as MergeIntent)
      return 'waits'
    }
    if (settled.kind === 'merged')
      await polling.poll([Number(entry.data['number']), ...(entry.data as MergeIntent).retargeted])
    if (resumed) await checked.reportLanded()
    return settled.kind === 'merged' ? 'done' : 'undone'
  }

  return {
    stuck,
    merge: async (caller, input, options = {}) => {
      const { config } = await deps.settings.snapshot()
      requireForce(config, caller, input.force)
      // A rebase may end while it is read: what was read first is older then.
      const since = deps.branchLock.now()
      const pull = await readPull(forge, input.number)
      // Not while its stop check rebases it: the head that was looked at would be merged, and the
      // rebased one replayed onto it.
      const outcome = await deps.branchLock(
        pull.head.branch,
        async (waited) =>
          mergeNow(config, caller, input, waited ? await readAgain(pull) : pull, options),
        since,
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
        await checked.queueAgain(id, data as MergeIntent)
      await checked.reportLanded()
      await checked.resume()
    },
    stop: checked.stop,
  }
}
