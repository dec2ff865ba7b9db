import type { ForgeAway } from '../core/pulls/forge-health.ts'
import { realTimers, type Timers } from '../delivery/timers.ts'
import { createSteadyClock, PULSE } from './clock.ts'
import { createFollowedPulls, type ChangedRefs } from './pulls.ts'
import { createForgeHealth } from './forge-health.ts'
import { createPullLook, type PullLookDeps } from './look.ts'

export interface Poller {
  /**
   * Begins: a look at everything at once, in the background, then by the cadence, on hints and when
   * deadlines pass.
   */
  start(): void
  /**
   * Looks at these now, or at all; resolves when what was found is published. A forge that fails is
   * tried again later. None: only waits for looks under way.
   */
  poll(numbers?: readonly number[]): Promise<void>
  /** Something may have changed; hints that come together are one look. */
  hint(number: number): void
  /**
   * These branches and commits may have changed: followed pull requests with such a head or base
   * are looked at.
   */
  hintAt(changed: ChangedRefs): void
  /** The forge has failed for more than a moment, each time it was asked: since when, and why. */
  away(): ForgeAway | undefined
  stop(): Promise<void>
}

export interface PollerDeps extends PullLookDeps {
  readonly timers?: Timers
}

const HINTS_TOGETHER = 25
/** Until it is tried again after a fault here, such as a full disk. Milliseconds. */
const AFTER_FAULT = 5_000
type Timer = 'look' | 'hints' | 'pulse'

/**
 * Follows the pull requests of the tree’s agents. Each has its own cadence: often while checks or
 * reviews are pending, else seldom, slower where the forge’s limits are short; those that are due
 * are read together. What can’t be read stays as it was known, and is read again, each time later;
 * while the forge can’t be used at all nothing is concluded, and nobody’s time limit passes.
 */
export function createPoller(deps: PollerDeps): Poller {
  const { forge, clock, log, timers = realTimers } = deps
  const steady = createSteadyClock(clock)
  const health = createForgeHealth({ ...deps, now: steady.now })
  const followed = createFollowedPulls(log)
  /** Asked for, and not read yet. */
  const wanted = new Set<number>()
  const cancels = new Map<Timer, () => void>()
  let tail: Promise<unknown> = Promise.resolve()
  /** Has not begun yet. */
  let waiting: { all: boolean; asked: boolean; readonly done: Promise<void> } | undefined
  let stopHints = (): void => {}
  let started = false
  let pulsing = false
  let stopped = false
  const look = createPullLook({
    ...deps,
    steady,
    health,
    followed,
    wanted,
    stopped: () => stopped,
  })

  const after = (what: Timer, milliseconds: number, callback: () => void): void => {
    cancels.get(what)?.()
    if (started && !stopped) cancels.set(what, timers.after(Math.max(milliseconds, 1), callback))
  }
  /**
   * One after the other: a diff needs the snapshot that the one before stored. All that is asked
   * for before the next begins is one look.
   */
  const enqueue = ({ all = false, asked = false }): Promise<void> => {
    if (waiting !== undefined) {
      waiting.all ||= all
      waiting.asked ||= asked
      return waiting.done
    }
    const options = { all, asked }
    const done = tail.then(async () => {
      waiting = undefined
      if (stopped) return
      try {
        await look.run(options)
        after('look', await look.untilNext(), lookAgain)
      } catch (error) {
        log.error({ err: error }, 'looking at pull requests failed; it is tried again')
        after('look', AFTER_FAULT, lookAgain)
      }
    })
    waiting = Object.assign(options, { done })
    tail = done
    return done
  }
  const lookAgain = (): void => void enqueue({})

  /** Timers stand still while the machine sleeps, and what they were set by may have changed. */
  const pulse = (): void => {
    steady.now()
    if (!pulsing) {
      pulsing = true
      void enqueue({}).finally(() => (pulsing = false))
    }
    after('pulse', PULSE, pulse)
  }

  const hint = (number: number): void => {
    if (stopped || look.isStranger(number)) return
    wanted.add(number)
    if (!cancels.has('hints')) {
      after('hints', HINTS_TOGETHER, () => {
        cancels.delete('hints')
        lookAgain()
      })
    }
  }

  return {
    start: () => {
      started = true
      steady.takeJump()
      const stopForge = forge.onHint(hint)
      // What else is open on a base that has moved may conflict now, or not any more: that is
      // reported at once.
      const stopBases = deps.publisher.onEvent(({ type, payload }) => {
        const branch =
          type === 'base.moved'
            ? payload['branch']
            : type === 'pr.merged'
              ? payload['base']
              : undefined
        if (typeof branch === 'string')
          for (const number of followed.at({ branches: [branch], shas: [] })) hint(number)
      })
      stopHints = () => {
        stopForge()
        stopBases()
      }
      void enqueue({ all: true })
      after('pulse', PULSE, pulse)
    },
    poll: async (numbers) => {
      if (numbers?.length === 0) return void (await tail)
      for (const number of numbers ?? []) wanted.add(number)
      await enqueue({ all: numbers === undefined, asked: true })
    },
    hint,
    away: health.away,
    hintAt: (changed) => {
      for (const number of followed.at(changed)) hint(number)
    },
    stop: async () => {
      stopped = true
      stopHints()
      for (const cancel of cancels.values()) cancel()
      await tail
    },
  }
}
