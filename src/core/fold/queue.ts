import type { MergeChain, MergeResults } from '../../adapters/forge/merge-results.ts'
import { asBranchName, type BranchName } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { waitsToLand, type WriteSteps } from '../pulls/merge/journal.ts'
import type { BaseWatch } from './base-watch.ts'
import type { CulpritSearch } from './culprit.ts'
import { createAtOnce } from './at-once.ts'
import { createEachLink } from './each-link.ts'
import { isIncomplete, readFolded, splitFolded } from './folded.ts'
import { createGiveUp } from './give-up.ts'
import { sayChecking, type Landing } from './landing.ts'
import type { Lane } from './lane.ts'
import type { LandChain } from './land-chain.ts'
import { reportLanded, unreportedBases } from './landed.ts'
import { createQuiet } from './quiet.ts'
import { createOwnTimers } from './timers.ts'
import { createTakeApart } from './take-apart.ts'
import type { Guilty } from './guilty.ts'
import { createBuildGroup } from './build-group.ts'
import { createGroupTiming } from './group-timing.ts'

/**
 * Pull requests that wait to land, per base, in the order asked:
 *
 *   queued ──its turn──▶ built: one chain of merges of all that wait ──▶ checking its last commit
 *     ▲                                                                     │ green: the base is moved to that very commit, at once
 *     │                                                                     │ red: taken apart, the first prefix that is red is looked for;
 *     └── the base moved meanwhile, or others of its group were red ◀───────┘ what stands before it lands, its last one is given up
 *
 * What is green is what was checked, by its tree, so that nothing is checked twice, across
 * restarts; the base is moved by compare-and-swap. One commit that stands in front of another in
 * the chain is not checked by itself unless the whole is red.
 */
export interface LandingQueue {
  /**
   * It waits from here on. One whose result is known to be good lands before this returns, if no
   * other is being checked.
   */
  add(landing: Landing): Promise<void>
  /**
   * It is not landed any more, whoever waits for it is notified why. False where nothing of that
   * number waits, or it is being landed already.
   */
  withdraw(number: number, reason: string): Promise<boolean>
  /**
   * Reports what has landed where nothing waits any more: also of what was settled after a crash.
   */
  reportLanded(): Promise<void>
  stop(): void
}

/** After a fault here (a full disk, a remote that is away) it is tried again, milliseconds. */
const AFTER_FAULT = { first: 1_000, longest: 60_000 }

export function createLandingQueue(
  deps: Pick<Deps, 'store' | 'forge' | 'polling' | 'publisher' | 'clock' | 'log'> & {
    results: MergeResults
    steps: WriteSteps
    land: LandChain
    culprit: CulpritSearch
    baseWatch: Pick<BaseWatch, 'green' | 'look'>
    /** Each commit that lands is to be checked by itself. */
    everyLink: () => Promise<boolean>
  },
): LandingQueue {
  const { store, forge, polling, publisher, clock, log, results, steps, culprit, baseWatch } = deps
  const lanes = new Map<BranchName, Lane>()
  const quiet = createQuiet(clock)
  const timers = createOwnTimers()
  let stopped = false
  /** Journal ids of those that are not to land any more, while they are still in a group. */
  const withdrawn = new Set<string>()
  const isWanted = ({ journal }: Landing): boolean => !withdrawn.has(journal)
  const { giveUp, stillWanted } = createGiveUp(deps)
  const stopListening = publisher.onEvent((event) => quiet.handle(event))

  const laneOf = (base: BranchName): Lane => {
    const known = lanes.get(base) ?? { waiting: [], askedAt: 0, group: [], working: undefined }
    lanes.set(base, known)
    return known
  }

  /**
   * Lands a chain that was found good; false where the base moved, or not all of them are as they
   * were: those that can still land wait again. What must not land so is given up.
   */
  const landAll = async (landings: readonly Landing[], chain: MergeChain): Promise<boolean> => {
    // To find it good took a while: what was pushed meanwhile was not asked for.
    const same = await stillWanted(landings.filter(isWanted))
    if (!landings.every((one, at) => isWanted(one) && one.head === same[at]?.head)) return false
    const result = await deps.land(landings, chain)
    if (result === 'base_moved') return false
    if (result !== 'landed') {
      for (const one of landings) await giveUp(one, { reason: result.refused, reported: false })
      return true
    }
    const base = landings[0]!.base
    const shas = chain.links.map(({ sha }) => sha)
    const tip = shas.at(-1) ?? chain.onto
    await publisher.publish({
      type: 'fold.landed',
      agentId: null,
      actor: 'daemon',
      payload: {
        branch: base,
        sha: tip,
        pulls: landings.map(({ number, title }) => ({ number, title })),
      },
      dedupeKey: `fold-landed:${base}:${tip}`,
    })
    await baseWatch.green(base, tip, shas)
    await polling.poll(landings.map(({ number }) => number))
    return true
  }

  /** Those of them that are still to land wait again, before all others. */
  const waitAgain = async (lane: Lane, landings: readonly Landing[]): Promise<void> => {
    const open = new Set((await store.journal.open()).filter(waitsToLand).map(({ id }) => id))
    const kept = new Set(lane.waiting.map(({ number }) => number))
    lane.waiting.unshift(
      ...landings.filter((one) => isWanted(one) && open.has(one.journal) && !kept.has(one.number)),
    )
  }

  /**
   * The one whose merge makes the base red: it stays open, and whoever is concerned is notified
   * with what.
   */
  const reject = async (guilty: Guilty): Promise<void> => {
    const { landing, link, onto } = guilty
    await results.blame(landing.number, link, onto)
    const suspect = (await readFolded(deps, landing.base)).partnerOf(landing)
    const red = await culprit.judge({ ...guilty, suspect })
    landing.ended({ kind: 'red', red })
    await polling.poll([landing.number])
    if (red.baseRed) await baseWatch.look(landing.base)
  }

  const build = createBuildGroup({ results, polling, giveUp })
  const readyOf = createGroupTiming({ results, quiet, clock, later: timers.later })
  const takeApart = createTakeApart({ results, culprit, landAll })
  const eachLink = createEachLink({ culprit, landAll })
  const landAtOnce = createAtOnce({ ...deps, build, landAll, waitAgain })

  /** One group: all that waits, when its turn comes. */
  const round = async (base: BranchName, lane: Lane): Promise<void> => {
    const { green } = await readFolded(deps, base)
    const ready = await readyOf(
      base,
      () => lane.waiting.length === 0,
      () => (isIncomplete(green, lane.waiting) ? lane.askedAt : undefined),
    )
    const slot = await results.slot({ ready })
    if (slot === null) return void (stopped = true)
    const taken = lane.waiting.splice(0)
    // What lands at once meanwhile is the group.
    if (taken.length === 0) return slot.release()
    try {
      lane.group = taken
      lane.group = await stillWanted(taken.filter(isWanted))
      if (lane.group.length === 0) return
      const { now, later: reds } = await splitFolded(deps, base, lane.group)
      lane.waiting.unshift(...reds)
      lane.group = now
      const onto = await results.tip(base)
      if (onto === null) throw new Error(`${base} is not on ${forge.remote}`)
      const { landings, chain, later: others } = await build(lane.group, onto)
      lane.waiting.unshift(...others)
      lane.group = landings
      const last = chain.links.at(-1)
      if (last === undefined) return
      const together = landings.map(({ number }) => number)
      await steps(
        landings.map(({ journal }) => ({ journal, data: { together } })),
        'built',
      )
      sayChecking(landings)
      await steps(landings, 'checking')
      const { status } = await slot.check({
        sha: last.sha,
        tree: last.tree,
        label: landings.length === 1 ? String(last.number) : 'together',
        kind: 'result',
      })
      slot.release()
      if (status === 'interrupted') return void lane.waiting.unshift(...landings.filter(isWanted))
      // `unchecked` lands as it would have been merged where nothing checks.
      const apart =
        status === 'failed'
          ? await takeApart(landings, chain)
          : status === 'passed' && landings.length > 1 && (await deps.everyLink())
            ? await eachLink(landings, chain)
            : null
      if (apart !== null) {
        const { wait, guilty } = apart
        await waitAgain(lane, wait)
        lane.group = guilty.map(({ landing }) => landing)
        for (const one of guilty) if (isWanted(one.landing)) await reject(one)
        return
      }
      await steps(landings, 'checked')
      if (!(await landAll(landings, chain))) await waitAgain(lane, landings)
    } catch (error) {
      await waitAgain(lane, lane.group)
      throw error
    } finally {
      for (const { journal } of taken) withdrawn.delete(journal)
      lane.group = []
      slot.release()
    }
  }

  const report = async (base: BranchName): Promise<void> => {
    if (stopped || laneOf(base).waiting.length > 0) return
    await reportLanded(deps, base).catch((error: unknown) =>
      log.error({ err: error, base }, 'that all has landed could not be reported'),
    )
  }

  const work = async (base: BranchName, lane: Lane): Promise<void> => {
    let wait = 0
    while (!stopped && lane.waiting.length > 0) {
      try {
        await round(base, lane)
        wait = 0
      } catch (error) {
        log.warn(
          { err: error, base },
          'what waits to land could not be looked at; it is tried again',
        )
        wait = Math.min(wait * 2 || AFTER_FAULT.first, AFTER_FAULT.longest)
        await timers.pause(wait)
      }
    }
    await report(base)
  }

  const start = (base: BranchName): void => {
    const lane = laneOf(base)
    if (stopped) return
    lane.working ??= work(base, lane).finally(() => {
      lane.working = undefined
      if (lane.waiting.length > 0) start(base)
    })
  }

  return {
    add: async (landing) => {
      quiet.settled(landing.number)
      results.look()
      const landed = await landAtOnce(laneOf(landing.base), landing).catch((error: unknown) => {
        log.warn(
          { err: error, number: landing.number },
          'a merge could not be made at once; it waits',
        )
        return false
      })
      // What was cut off in the middle of its landing is settled first: it may be there.
      const entry = landed ? undefined : await store.journal.get(landing.journal)
      const lane = laneOf(landing.base)
      if (entry?.state === 'open' && waitsToLand(entry)) {
        lane.waiting.push(landing)
        lane.askedAt = clock()
        results.look()
      }
      // It may have put others back, while nobody worked on them any more.
      if (lane.waiting.length > 0) start(landing.base)
    },
    withdraw: async (number, reason) => {
      const landing = [...lanes.values()]
        .flatMap(({ waiting, group }) => [...waiting, ...group])
        .find((one) => one.number === number && isWanted(one))
      if (landing === undefined) return false
      const isOut = await store.transaction(async (tx) => {
        const entry = await tx.journal.get(landing.journal)
        if (entry?.state !== 'open' || !waitsToLand(entry)) return false
        await tx.journal.finish(landing.journal, 'undone')
        return true
      })
      if (!isOut) return false
      const lane = laneOf(landing.base)
      lane.waiting = lane.waiting.filter(({ journal }) => journal !== landing.journal)
      if (lane.group.some(({ journal }) => journal === landing.journal))
        withdrawn.add(landing.journal)
      landing.ended({ kind: 'stopped', reason })
      return true
    },
    reportLanded: async () => {
      for (const base of await unreportedBases(deps))
        if (laneOf(asBranchName(base)).working === undefined) await report(asBranchName(base))
    },
    stop: () => {
      stopped = true
      stopListening()
      timers.stop()
    },
  }
}
