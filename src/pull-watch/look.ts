import type { Forge } from '../adapters/forge/forge.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Log } from '../runtime/log.ts'
import { createPullDeadlines } from './deadlines.ts'
import { createIdentity } from './identity.ts'
import { createPullReading } from './reading.ts'
import type { FollowUp } from '../core/pulls/merge/follow-up.ts'
import { createPullRecords, type ApplyOptions } from './record.ts'
import { createSchedule, type Cadence } from './schedule.ts'
import { createPullSearch, SOON, type SearchPace } from './search.ts'
import type { Publisher } from '../events/publish.ts'
import type { SteadyClock } from './clock.ts'
import type { HealthWatch } from './forge-health.ts'
import type { FollowedPulls } from './pulls.ts'

/** One look at the forge, and when the next is due. */
export interface PullLook {
  /**
   * `all`: of everything. `asked`: by somebody who knows that the forge may be used again. A forge
   * that fails is noted and tried again later; throws what is a fault here.
   */
  run(what: { readonly all: boolean; readonly asked: boolean }): Promise<void>
  /** Milliseconds until the next is due without being asked; 0 or less: now. */
  untilNext(): Promise<number>
  /** It is known to be nobody’s here, and no hint of it is followed. */
  isStranger(number: number): boolean
}

export interface PullLookDeps {
  readonly forge: Forge
  readonly store: Store
  readonly publisher: Publisher
  readonly config: () => Promise<Config> | Config
  readonly clock: Clock
  readonly log: Log
  readonly followUp?: FollowUp
}

export function createPullLook(
  deps: PullLookDeps & {
    readonly steady: SteadyClock
    readonly health: HealthWatch
    readonly followed: FollowedPulls
    /** Asked for, and not read yet. */
    readonly wanted: Set<number>
    readonly stopped: () => boolean
  },
): PullLook {
  const { forge, clock, log, steady, health, followed, wanted, stopped } = deps
  const deadlines = createPullDeadlines(deps)
  const records = createPullRecords({ ...deps, deadlines })
  const settleIdentity = createIdentity({ ...deps, deadlines })
  const schedule = createSchedule(steady.now)
  const searching = createPullSearch({ forge, records, followed, now: steady.now })
  const reading = createPullReading({
    forge,
    records,
    schedule,
    followed,
    followUp: deps.followUp,
    log,
  })
  let resumed = false
  let repository: string | undefined

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
   * Where none of them can be read: is it they, or the forge? A call that fails as a whole says
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
    if (found === undefined || stopped()) return false
    works ||= found.answer.some((result) => !('unknown' in result))
    if (!works && numbers.length > 0 && !(works = await probe())) return false
    // Nobody could review, or answer a review, on a forge that was away.
    const outage = works ? await health.works() : 0
    if (outage > 0) await deadlines.shift(outage, options.config)
    const known = await reading.take(found.answer, options)
    await deadlines.expire((number) => known.has(number) || !followed.has(number), options)
    return true
  }

  const run: PullLook['run'] = async ({ all, asked }) => {
    const config = (await deps.config()).forge
    if (!resumed) await health.resume()
    resumed = true
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

  const untilNext = async (): Promise<number> => {
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
    return Math.max(due, health.heldUntil(), now + blockedUntil() - clock()) - now
  }

  return { run, untilNext, isStranger: reading.isStranger }
}
