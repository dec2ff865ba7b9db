import { randomUUID } from 'node:crypto'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { Config } from '../../../config/schema.ts'
import type { Agent } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { asBranchName, type Actor } from '../../../domain/ids.ts'
import type { MergedPull } from '../pull-documents.ts'
import type { Pulls } from '../pull-use-cases.ts'
import type { Deps } from '../../deps.ts'
import { createLandings } from '../../fold/create.ts'
import { createLandChain } from '../../fold/land-chain.ts'
import { createPendingLandings, type PendingLandings, type Waiter } from '../../fold/pending.ts'
import type { Landing, LandingOutcome } from '../../fold/landing.ts'
import type { MergeIntent, WriteStep, WriteSteps } from './journal.ts'
import { redRefusal } from './refusal.ts'
import { stillLanding } from './words.ts'
import type { MergedAnswer } from './merged-answer.ts'
import type { MergeBegin } from './begin.ts'
import type { Retargeting } from './retarget.ts'
import { forgeOf, type MergeSettling } from './settle.ts'

/**
 * Merges that wait for their result to be checked here (`core/fold`): journaled as queued, then
 * landed by the queue. Where the checks are a forge’s elsewhere, those are for it alone to merge
 * that the fold does not land.
 */
export interface MergeChecked {
  /**
   * Whether its result has to be known to be good before it lands. `here`: it lands as what was
   * checked, though the forge is elsewhere.
   */
  isNeeded(
    config: Config,
    pull: PullRequestSnapshot,
    asked: { readonly force: boolean; readonly here: boolean },
  ): Promise<boolean>
  isLanding(number: number): Promise<boolean>
  /** It is merged in another way now. False where it is being landed already. */
  withdraw(number: number): Promise<boolean>
  /** One more caller that waits; undefined where nothing of that number does here. */
  readonly join: PendingLandings['join']
  /**
   * It waits for its result. Returns what waits for that, with `wait`, until it has come or the
   * caller goes away; null where it goes on without.
   */
  land(
    pull: PullRequestSnapshot,
    intent: MergeIntent,
    child: Agent | undefined,
    options: Parameters<Pulls['merge']>[2] & { wait: boolean },
  ): Promise<Waiter['outcome']>
  /** What is answered of what it came to. PR_NOT_MERGEABLE, CHECKS_FAILED. */
  answerOf(
    outcome: LandingOutcome | null,
    pull: PullRequestSnapshot,
    followed: string | null,
    answer: MergedAnswer,
  ): MergedPull | Promise<MergedPull>
  /** What waited when the daemon ended waits again: who waited for it is gone. */
  queueAgain(journal: string, intent: MergeIntent): Promise<void>
  /** Reports what has landed where nothing waits any more. */
  reportLanded(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

export function createMergeChecked(
  deps: Pick<
    Deps,
    'store' | 'git' | 'forge' | 'polling' | 'publisher' | 'settings' | 'clock' | 'log'
  > & {
    step: WriteStep
    steps: WriteSteps
    retargeting: Retargeting
    settling: MergeSettling
    begin: MergeBegin['begin']
    stuck: Set<string>
    /** Null where nothing is checked here. */
    landResults: MergeResults | null
  },
): MergeChecked {
  const { store, forge, clock, log, step, begin, landResults: results } = deps
  const landings =
    results === null
      ? null
      : createLandings({
          ...deps,
          results,
          isWatched: forge.results !== null,
          everyLink: async () => (await deps.settings.snapshot()).config.fold.every_link,
          land: createLandChain({ ...deps, results }),
        })

  const pending = createPendingLandings()

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

  return {
    isNeeded: async (config, pull, { force, here }) => {
      if (results === null || force || landings === null) return false
      if (forge.results === null) return here
      const wanted = config.merge.check_result
      if (wanted === 'off' || !(await results.required())) return false
      return wanted === 'always' || landings.overlaps(pull)
    },

    isLanding: async (number) =>
      (await store.journal.open()).some(
        ({ kind, data }) =>
          kind === 'merge' && data['number'] === number && data['queuedAt'] !== undefined,
      ),

    withdraw: async (number) =>
      (await landings?.queue.withdraw(number, 'it is merged without the check')) ?? false,

    join: pending.join,

    land: async (pull, intent, child, { wait, signal, progress }) => {
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
    },

    answerOf: (outcome, pull, followed, answer) => {
      if (outcome === null || outcome.kind === 'unsettled') return stillLanding(pull, followed)
      if (outcome.kind === 'landed')
        return answer(outcome.sha, outcome.retargeted, outcome.pullError)
      if (outcome.kind === 'red') throw redRefusal(pull, outcome.red)
      throw new ExomonadError(
        'PR_NOT_MERGEABLE',
        `#${pull.number} was not merged: ${outcome.reason}.`,
        { reasons: [outcome.reason] },
      )
    },

    queueAgain: async (id, intent) => {
      // Its number is another one’s here.
      if ((intent.forge ?? 'local') !== (await forgeOf(forge))) {
        log.warn(
          { journal: id, number: intent.number, forge: intent.forge ?? 'local' },
          'what waited to land on another forge does not land on this one',
        )
        return store.journal.finish(id, 'undone')
      }
      // Who waited for it is gone.
      await step(id, 'queued', { awaited: false })
      await landings?.queue.add(
        landingOf(id, intent, pending.begin(intent.number, intent.by as Actor)),
      )
    },

    reportLanded: async () => landings?.queue.reportLanded(),
    resume: async () => landings?.resume(),
    stop: async () => landings?.stop(),
  }
}
