import type { Forge, PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../log.ts'
import { realTimers } from './outbox.ts'
import type { Timers } from './outbox-worker.ts'
import { createPullRecords } from './poller-record.ts'
import { isActive } from './pr-tracking.ts'
import type { Publisher } from './publish.ts'

export interface Poller {
  /** Begins: a look at everything at once, in the background, then by the cadence, on hints and when deadlines pass. */
  start(): void
  /** Looks at these now, or at all; resolves when what was found is published. A forge that fails is tried again later. */
  poll(numbers?: readonly number[]): Promise<void>
  /** Something may have changed; hints that come together are one look. */
  hint(number: number): void
  stop(): Promise<void>
}

const HINTS_TOGETHER = 25
const FIRST_RETRY = 1_000

/** Follows the pull requests of the tree. What can’t be read stays as it was known, and is read again, each time later. */
export function createPoller(deps: {
  readonly forge: Forge
  readonly store: Store
  readonly publisher: Publisher
  readonly config: () => Promise<Config> | Config
  readonly clock: Clock
  readonly log: Log
  /** Begins the dedupe keys: the forge’s name of the repository. */
  readonly repository: string
  readonly timers?: Timers
}): Poller {
  const { forge, clock, log, timers = realTimers } = deps
  const records = createPullRecords(deps)
  const retries = new Map<number, number>()
  const checked = new Set<string>()
  const hinted = new Set<number>()
  const cancels = new Map<'cadence' | 'hints' | 'retry' | 'deadline', () => void>()
  let tail: Promise<unknown> = Promise.resolve()
  let stopped = false
  let stopHints = (): void => {}
  let lastSweep = 0
  let started = false

  const after = (what: 'cadence' | 'hints' | 'retry' | 'deadline', milliseconds: number, callback: () => void): void => {
    cancels.get(what)?.()
    if (started && !stopped) cancels.set(what, timers.after(Math.max(milliseconds, 1), callback))
  }

  const everything = async (): Promise<number[]> => {
    const known = (await records.open()).map(({ number }) => number)
    return [...new Set([...known, ...(await forge.find({ state: 'open' }))])].sort((a, b) => a - b)
  }

  /** A head that nothing has checked is checked, once asked for per head. */
  const ensureChecks = async (pull: PullRequestSnapshot): Promise<void> => {
    const unchecked = pull.checks.every(({ status }) => status === 'interrupted' || status === 'cancelled')
    const key = `${pull.number}:${pull.head.sha}`
    if (pull.state !== 'open' || !unchecked || pull.checksState === 'unknown' || checked.has(key)) return
    checked.add(key)
    await forge.ensureChecks(pull.number).catch((error: unknown) => log.warn({ err: error, number: pull.number }, 'checks could not be started'))
  }

  /** One that can’t be stored does not keep the others from it. */
  const applied = async (found: PullRequestSnapshot, config: Config['forge']): Promise<void> => {
    try {
      const pull = await records.apply(found, config)
      if (pull.state === 'open' && (pull.mergeable === 'unknown' || pull.checksState === 'unknown')) retryLater(pull.number)
      else retries.delete(pull.number)
      await ensureChecks(pull)
    } catch (error) {
      log.error({ err: error, number: found.number }, 'what was found of a pull request could not be stored; it is read again')
      retryLater(found.number)
    }
  }

  const look = async (numbers: readonly number[] | undefined): Promise<void> => {
    const config = (await deps.config()).forge
    const wanted = numbers ?? (await everything())
    for (const result of wanted.length === 0 ? [] : await forge.snapshots(wanted)) {
      if (stopped) return
      if ('unknown' in result) {
        log.info({ number: result.number, reason: result.unknown }, 'a pull request could not be read')
        retryLater(result.number)
      } else if ('missing' in result) {
        log.warn({ number: result.number }, 'a pull request is not there any more')
        retries.delete(result.number)
      } else {
        await applied(result.snapshot, config)
      }
    }
    const longest = config.poll_active * 1000
    const waits = [...retries.values()].map((wait) => Math.min(wait, longest))
    if (waits.length > 0) after('retry', Math.min(...waits), () => void poll([...retries.keys()]))
    await armDeadline()
    await armCadence(config)
  }

  const retryLater = (number: number): void => {
    retries.set(number, (retries.get(number) ?? FIRST_RETRY / 2) * 2)
  }

  const armDeadline = async (): Promise<void> => {
    const at = await records.nextDeadline()
    if (at !== undefined) after('deadline', at - clock(), () => void enqueue(expire))
  }
  const expire = async (): Promise<void> => {
    await records.expire((await deps.config()).forge)
    await armDeadline()
  }

  /** One after the other: a diff needs the snapshot that the one before stored. */
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const done = tail.then(async () => {
      if (stopped) return
      await work().catch((error: unknown) => log.warn({ err: error }, 'looking at pull requests failed; it is tried again'))
    })
    tail = done
    return done
  }

  const poll = (numbers?: readonly number[]): Promise<void> => enqueue(() => look(numbers))

  /** The next look at everything, counted from the last: soon where somebody waits for something. */
  const armCadence = async (config: Config['forge']): Promise<void> => {
    const active = (await records.open()).some(isActive)
    after('cadence', lastSweep + (active ? config.poll_active : config.poll_idle) * 1000 - clock(), sweep)
  }

  function sweep(): void {
    lastSweep = clock()
    // For the case that this one fails before it sets the next.
    after('cadence', 30_000, sweep)
    void poll()
  }

  const hint = (number: number): void => {
    if (stopped) return
    if (hinted.size === 0) {
      after('hints', HINTS_TOGETHER, () => {
        const numbers = [...hinted]
        hinted.clear()
        void poll(numbers)
      })
    }
    hinted.add(number)
  }

  return {
    start: () => {
      started = true
      stopHints = forge.onHint(hint)
      void enqueue(expire)
      sweep()
    },
    poll,
    hint,
    stop: async () => {
      stopped = true
      stopHints()
      for (const cancel of cancels.values()) cancel()
      await tail
    },
  }
}
