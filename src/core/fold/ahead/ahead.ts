import type { CheckSlot, FoldResults, MergeLink } from '../../../adapters/forge/merge-results.ts'
import type { Config } from '../../../config/schema.ts'
import type { StoredEvent } from '../../../domain/records.ts'
import { asBranchName, type BranchName, type Sha } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import type { AutoLand } from './auto-land.ts'
import type { Candidate } from './candidates.ts'
import { collectChain, openBases, type Collected } from './chain.ts'
import { createBurst } from './burst.ts'
import { explain, type CheckLink } from './explain.ts'
import { createContinuous } from './continuous.ts'
import type { LandsHere } from '../lands-here.ts'
import { createOwnTimers } from '../timers.ts'
import { readPause } from './fold-record.ts'
import { createFoldReport } from './fold-report.ts'

/**
 * The fold of each base: what is open on it, merged in objects in the order of filing, each with the
 * commit that its merge would be. Its last link is checked before anybody asks for it, and what is
 * found counts: for the own checks of those that wait for a place, and, by the tree, for whoever
 * lands them later.
 *
 *   something stirs ──quiet──▶ chain ──last link known? ─ no ─▶ a place ──▶ checked
 *                                │ green: counts for all of it; approved ones land (auto)
 *                                │ red: who makes it so is found, taken out, reported; the rest counts
 *                                └ nothing to check: heads that are not filed yet (continuous)
 *
 * Nothing here moves a branch. It is level-triggered: after a restart the chain is made anew of
 * refs and pull requests, and what was checked is known by its tree.
 */
export interface FoldAhead {
  start(): Promise<void>
  /** Something may be different about this base. */
  look(base: BranchName): void
  /** What is being checked of it now. */
  testing(base: BranchName): readonly Testing[]
  stop(): void
}

export interface Testing {
  readonly numbers: readonly number[]
  readonly tree: Sha
  /** Milliseconds since the epoch. */
  readonly since: number
}

interface Lane {
  dirty: boolean
  working: Promise<void> | undefined
  testing: Testing[]
}

/** After something has happened, before the chain is made: more may come with it. Milliseconds. */
const QUIET = 700
const AFTER_FAULT = { first: 1_000, longest: 60_000 }
/** Between looks at heads that are not filed yet, milliseconds. */
const UNFILED_EVERY = 20_000

export type FoldAheadDeps = Pick<
  Deps,
  'store' | 'git' | 'forge' | 'publisher' | 'settings' | 'clock' | 'log' | 'onJournalStep'
> & { results: FoldResults; autoLand: AutoLand; landsHere: LandsHere }

export function createFoldAhead(deps: FoldAheadDeps): FoldAhead {
  const { store, publisher, settings, clock, log, results, autoLand } = deps
  const lanes = new Map<BranchName, Lane>()
  const timers = createOwnTimers()
  const burst = createBurst({ clock, span: QUIET })
  const report = createFoldReport(deps)
  const lookAtUnfiled = createContinuous(deps)
  let stopped = false
  let stopListening = (): void => {}

  const laneOf = (base: BranchName): Lane => {
    const known = lanes.get(base) ?? { dirty: false, working: undefined, testing: [] }
    lanes.set(base, known)
    return known
  }

  /** Null where nothing is folded now. */
  const rulesNow = async (): Promise<Config['fold'] | null> => {
    const { config } = await settings.snapshot()
    const goes =
      !stopped &&
      config.fold.enabled &&
      (await readPause(store.snapshots)) === null &&
      (await results.required())
    // What is never checked alone may not land unchecked.
    burst.allow(goes && config.merge.check_result === 'always')
    return goes ? config.fold : null
  }

  const run = async (
    base: BranchName,
    slot: CheckSlot,
    link: Pick<MergeLink, 'sha' | 'tree'>,
    numbers: readonly number[],
    again = false,
  ): Promise<'green' | 'red' | undefined> => {
    const lane = laneOf(base)
    const mine: Testing = { numbers, tree: link.tree, since: clock() }
    lane.testing = [...lane.testing, mine]
    try {
      const kind = numbers.length === 0 ? 'base' : 'result'
      const { status } = await slot.check({ ...link, label: 'fold', kind, again })
      return status === 'passed' ? 'green' : status === 'failed' ? 'red' : undefined
    } finally {
      lane.testing = lane.testing.filter((one) => one !== mine)
    }
  }

  /** Of a part: before all that waits, as it goes on with something that had its turn. */
  const checkLink =
    (base: BranchName): CheckLink =>
    async (link, numbers, { again = false } = {}) => {
      const { state } = again ? { state: 'unknown' } : await results.known(link.tree)
      if (state !== 'unknown') return state === 'passed' ? 'green' : 'red'
      const slot = await results.slot({ front: true })
      if (slot === null) return undefined
      try {
        return await run(base, slot, link, numbers, again)
      } finally {
        slot.release()
      }
    }

  /** A place to check the chain in; null where it is not to be checked now. */
  const placeFor = async (
    base: BranchName,
    { candidates, waiting }: Collected,
  ): Promise<CheckSlot | null> => {
    if (burst.hold(base, waiting)) return results.slot({ front: true })
    results.look()
    // What is checked by itself may turn out red: that is waited for.
    if (candidates.some(({ pull }) => pull?.checksState === 'pending')) return null
    const slot = await results.slot({ idle: true })
    // Something has happened just now: the chain is about to be another one.
    if (slot === null || !laneOf(base).dirty || !burst.stirs(base)) return slot
    slot.release()
    return null
  }

  const round = async (base: BranchName): Promise<void> => {
    const rules = await rulesNow()
    if (rules === null) {
      burst.letGo(base)
      return results.look()
    }
    try {
      let now = await collectChain(deps, base)
      if (now === null) return
      const last = now.chain.links.at(-1)
      const state = last === undefined ? 'unknown' : (await results.known(last.tree)).state
      const folds = now.candidates.length > 1
      await report.chain(now, folds && state === 'unknown' ? 'waiting' : 'idle')
      if (folds && state === 'unknown') {
        const slot = await placeFor(base, now)
        if (slot === null) return
        try {
          // More may have come while it waited.
          now = await collectChain(deps, base)
          const link = now?.chain.links.at(-1)
          if (now === null || link === undefined) return
          burst.hold(base, now.waiting)
          await report.chain(now, 'testing')
          if ((await run(base, slot, link, numbersOf(now.candidates))) === undefined) return
        } finally {
          slot.release()
        }
      }
      await judge(base, rules, now)
    } finally {
      burst.letGo(base, { more: laneOf(base).dirty })
      results.look()
    }
  }

  /** What follows from what is known of the last link. */
  const judge = async (base: BranchName, rules: Config['fold'], now: Collected): Promise<void> => {
    const { chain, candidates, record } = now
    const last = chain.links.at(-1)
    const { state } = last === undefined ? { state: 'unknown' } : await results.known(last.tree)
    if (last !== undefined && candidates.length > 1) {
      if (state === 'unknown') return
      if (state === 'failed') {
        if (record.unexplained.includes(last.tree)) return report.chain(now, 'red')
        await report.chain(now, 'searching')
        const probes = await results.parallel()
        const explained = await explain(
          { results, checkLink: checkLink(base), probes },
          { onto: chain.onto, chain, candidates },
        )
        if (explained === undefined) return
        await report.explained(now, last, explained)
        return look(base)
      }
      await report.green(now, last)
      if (rules.every_link && !(await everyLink(base, now))) return
    }
    // What was red is not asked for again until there is something new about it.
    if (rules.land === 'auto' && state !== 'failed') await autoLand(base, candidates)
    if (rules.continuous && !laneOf(base).dirty) {
      await lookAtUnfiled({
        base,
        filed: candidates,
        onto: chain.onto,
        isInterrupted: () => stopped || laneOf(base).dirty,
        run: (slot, link, numbers) => run(base, slot, link, numbers),
      })
      timers.later(UNFILED_EVERY, () => look(base))
    }
  }

  /** Each link by itself, when there is a place; false where something else came in between. */
  const everyLink = async (base: BranchName, now: Collected): Promise<boolean> => {
    for (const [at, link] of now.chain.links.entries()) {
      if ((await results.known(link.tree)).state !== 'unknown') continue
      const slot = await results.slot({ idle: true })
      if (slot === null) return false
      try {
        await run(base, slot, link, numbersOf(now.candidates.slice(0, at + 1)))
      } finally {
        slot.release()
      }
      if (laneOf(base).dirty) return false
    }
    await report.chain(now, 'green')
    return true
  }

  const work = async (base: BranchName, lane: Lane): Promise<void> => {
    let wait = 0
    while (!stopped && lane.dirty) {
      await timers.pause(burst.quietIn(base))
      lane.dirty = false
      try {
        await round(base)
        wait = 0
      } catch (error) {
        if (stopped) return
        log.warn({ err: error, base }, 'the fold could not be made; it is tried again')
        wait = Math.min(wait * 2 || AFTER_FAULT.first, AFTER_FAULT.longest)
        lane.dirty = true
        await timers.pause(wait)
      }
    }
  }

  const look = (base: BranchName): void => {
    const lane = laneOf(base)
    lane.dirty = true
    if (stopped) return
    lane.working ??= work(base, lane).finally(() => {
      lane.working = undefined
      if (lane.dirty && !stopped) look(base)
    })
  }

  const handle = ({ type, payload }: StoredEvent): void => {
    const base =
      type === 'base.moved' || type === 'base.green' ? payload['branch'] : payload['base']
    if (typeof base !== 'string' || !STIRS.test(type)) return
    burst.stir(asBranchName(base))
    look(asBranchName(base))
  }

  return {
    look,
    testing: (base) => lanes.get(base)?.testing ?? [],
    start: async () => {
      await rulesNow()
      stopListening = publisher.onEvent(handle)
      results.defer({
        isDeferred: burst.isDeferred,
        waits: (base) => {
          burst.waits(base)
          look(base)
        },
        // No event says so where it was known before (a check that ran again).
        ended: look,
      })
      for (const base of new Set(await openBases(deps))) look(base)
    },
    stop: () => {
      stopped = true
      stopListening()
      burst.allow(false)
      timers.stop()
    },
  }
}

/** Events after which a chain may be another one. */
const STIRS =
  /^(pr\.(?!comment|thread_comment|stalled|behind)|ci\.(passed|failed)|base\.(moved|green))/

const numbersOf = (candidates: readonly Candidate[]): number[] =>
  candidates.map(({ number }) => number)
