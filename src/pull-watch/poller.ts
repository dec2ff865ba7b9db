import type { Forge } from '../adapters/forge/forge.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { ForgeAway } from '../core/pulls/forge-health.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Log } from '../runtime/log.ts'
import { realTimers } from '../delivery/outbox.ts'
import type { Timers } from '../delivery/outbox-worker.ts'
import { createSteadyClock, PULSE } from './clock.ts'
import { createPullDeadlines } from './deadlines.ts'
import { createIdentity } from './identity.ts'
import { createFollowedPulls, type HeardOf } from './pulls.ts'
import { createPullReading } from './reading.ts'
import type { FollowUp } from '../core/pulls/merge/follow-up.ts'
import { createPullRecords, type ApplyOptions } from './record.ts'
import { createSchedule, type Cadence } from './schedule.ts'
import { createPullSearch, SOON, type SearchPace } from './search.ts'
import { createForgeHealth } from './forge-health.ts'
import type { Publisher } from '../events/publish.ts'

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
   * Something was heard of these branches and commits: followed pull requests with such a head or
   * base may have changed.
   */
  hintAt(heard: HeardOf): void
  /** The forge has failed for more than a moment, each time it was asked: since when, and why. */
  away(): ForgeAway | undefined
  stop(): Promise<void>
}

export interface PollerDeps {
  readonly forge: Forge
  readonly store: Store
  readonly publisher: Publisher
  readonly config: () => Promise<Config> | Config
  readonly clock: Clock
  readonly log: Log
  readonly timers?: Timers
  readonly followUp?: FollowUp
}

const HINTS_TOGETHER = 25
/** Until it is tried again after a fault here, such as a full disk. Milliseconds. */
const AFTER_FAULT = 5_000
type Timer = 'look' | 'hints' | 'pulse'

/**
 * Follows the pull requests of the tree’s agents. Each has its own cadence: often while checks or
 * reviews are pending, else seldom, slower where the forge’s limits are short; those that are due
 * are read together. What can’t be read stays as it was known, and is read again, each time later;
 * while the forge can’t be used at all nothing is concluded, and nobody’s patience ends.
 */
export function createPoller(deps: PollerDeps): Poller {
  const { forge, clock, log, timers = realTimers } = deps
  const steady = createSteadyClock(clock)
  const deadlines = createPullDeadlines(deps)
  const records = createPullRecords({ ...deps, deadlines })
  const health = createForgeHealth({ ...deps, now: steady.now })
  const settleIdentity = createIdentity({ ...deps, deadlines })
  const schedule = createSchedule(steady.now)
  const followed = createFollowedPulls(log)
  const searching = createPullSearch({ forge, records, followed, now: steady.now })
  const reading = createPullReading({
    forge,
    records,
    schedule,
    followed,
    followUp: deps.followUp,
    log,
  })
  /** Asked for, and not read yet. */
  const wanted = new Set<number>()
  const cancels = new Map<Timer, () => void>()
  let tail: Promise<unknown> = Promise.resolve()
  /** Has not begun yet. */
  let waiting: { all: boolean; asked: boolean; readonly done: Promise<void> } | undefined
  let stopHints = (): void => {}
  let repository: string | undefined
  let started = false
  let pulsing = false
  let stopped = false

  const after = (what: Timer, milliseconds: number, callback: () => void): void => {
    cancels.get(what)?.()
    if (started && !stopped) cancels.set(what, timers.after(Math.max(milliseconds, 1), callback))
  }

  const cadenceOf = (config: Config['forge']): Cadence & SearchPace => {
    const slowdown = Math.max(forge.budget()?.slowdown ?? 1, 1)
    const idle = config.poll_idle * 1000 * slowdown
    return {
      active: config.poll_active * 1000 * slowdown,
      idle,
      soon: Math.min(SOON * slowdown, idle),
    }
  }
  const blockedUntil = (): number => forge.budget()?.blockedUntil ?? 0

  /** A call of the forge; undefined where it failed. */
  const tried = async <T>(call: () => Promise<T>): Promise<{ readonly answer: T } | undefined> => {
    try {
      return { answer: await call() }
    } catch (error) {
      await health.failed(error)
      return undefined
    }
  }

  /** Who is followed, once it is known whose records these are. */
  const settle = async (config: Config['forge']): Promise<string | undefined> => {
    if (repository !== undefined) return repository
    const identity = await tried(() => forge.identity())
    if (identity === undefined) return undefined
    await settleIdentity(identity.answer, config)
    await deadlines.shift(0, config)
    for (const pull of await records.known()) {
      followed.seen(pull)
      if (pull.state === 'open') wanted.add(pull.number)
    }
    repository = identity.answer
    return repository
  }

  const search = async (
    cadence: SearchPace,
    all: boolean,
  ): Promise<'answered' | 'not asked' | 'failed'> => {
    const found = await tried(() => searching.run(cadence, all))
    if (found === undefined) return 'failed'
    for (const number of found.answer.numbers) if (!reading.isKnownFork(number)) wanted.add(number)
    if (found.answer.all) reading.forgetStrangers()
    return found.answer.asked ? 'answered' : 'not asked'
  }

  /**
   * Where none of them can be read: is it they, or the forge? A call that fails as a whole tells
   * why.
   */
  const probe = async (): Promise<boolean> => {
    const heads = [...(await records.heads())].slice(0, 1)
    return (await tried(() => forge.find({ state: 'open', heads }))) !== undefined
  }

  /**
   * The clock was set, or the machine slept: all is looked at, and what nobody could do meanwhile
   * is not held against anybody.
   */
  const settleJump = async (config: Config['forge']): Promise<void> => {
    const jump = steady.takeJump()
    if (jump === 0) return
    log.warn(
      { milliseconds: jump },
      'the clock jumped, or this machine slept; deadlines of pull requests move along',
    )
    await deadlines.shift(jump, config)
    schedule.hurry()
    health.forget()
    searching.hurry()
  }

  const pick = async (all: boolean, cadence: Cadence): Promise<number[]> => {
    const overdue = (await deadlines.overdue()).filter(
      (number) => followed.has(number) && !schedule.backsOff(number),
    )
    const due = all ? followed.numbers() : [...schedule.due(cadence), ...overdue]
    return [...new Set([...wanted, ...due])].sort((a, b) => a - b)
  }

  /**
   * Reads these and publishes what is new; false where the forge says nothing. `answered`: it just
   * did.
   */
  const read = async (
    numbers: readonly number[],
    answered: boolean,
    options: ApplyOptions,
  ): Promise<boolean> => {
    let works = answered
    if (!works && health.inDoubt() && !(works = await probe())) return false
    const found =
      numbers.length === 0 ? { answer: [] } : await tried(() => forge.snapshots(numbers))
    if (found === undefined || stopped) return false
    works ||= found.answer.some((result) => !('unknown' in result))
    if (!works && numbers.length > 0 && !(works = await probe())) return false
    // Nobody could review, or answer a review, on a forge that was away.
    const outage = works ? await health.works() : 0
    if (outage > 0) await deadlines.shift(outage, options.config)
    const known = await reading.take(found.answer, options)
    await deadlines.expire((number) => known.has(number) || !followed.has(number), options)
    return true
  }

  /** `all`: of everything. `asked`: by somebody who knows that the forge may be used again. */
  const look = async ({
    all,
    asked,
  }: {
    readonly all: boolean
    readonly asked: boolean
  }): Promise<void> => {
    const config = (await deps.config()).forge
    await settleJump(config)
    if (!asked && steady.now() < health.heldUntil()) return
    const blocked = blockedUntil()
    if (blocked > clock()) {
      return health.failed(
        new ExomonadError('FORGE_UNAVAILABLE', 'Its rate limit is used up, or it asked to wait.', {
          retry_at: blocked,
        }),
      )
    }
    const name = await settle(config)
    if (name === undefined) return
    const cadence = cadenceOf(config)
    const searched =
      all || steady.now() >= (await searching.dueAt(cadence))
        ? await search(cadence, all)
        : 'not asked'
    if (searched === 'failed') return
    const numbers = await pick(all, cadence)
    // What is asked for from here on is asked for anew: the answer that is on its way may be older.
    const owed = numbers.filter((number) => wanted.delete(number))
    let done = false
    try {
      done = await read(numbers, searched === 'answered', {
        config,
        repository: name,
        remote: forge.remote,
      })
    } finally {
      if (!done) for (const number of owed) wanted.add(number)
    }
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
        await look(options)
        await arm()
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

  /** The next look without being asked. */
  const arm = async (): Promise<void> => {
    const cadence = cadenceOf((await deps.config()).forge)
    const deadline = await deadlines.next()
    const now = steady.now()
    const due =
      wanted.size > 0
        ? now
        : Math.min(
            schedule.next(cadence) ?? Infinity,
            await searching.dueAt(cadence),
            now + (deadline ?? Infinity) - clock(),
          )
    after(
      'look',
      Math.max(due, health.heldUntil(), now + blockedUntil() - clock()) - now,
      lookAgain,
    )
  }

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
    if (stopped || reading.isStranger(number)) return
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
      // What else is open on a base that has moved may conflict now, or not any more: that is told
      // at once.
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
    hintAt: (heard) => {
      for (const number of followed.at(heard)) hint(number)
    },
    stop: async () => {
      stopped = true
      stopHints()
      for (const cancel of cancels.values()) cancel()
      await tail
    },
  }
}
