import type { Forge, PullRequestSnapshot, SnapshotResult } from '../adapters/forge/forge.ts'
import type { Log } from '../runtime/log.ts'
import type { FollowedPulls } from './pulls.ts'
import type { ApplyOptions, PullRecords } from './record.ts'
import type { Schedule } from './schedule.ts'
import { isActive } from './tracking.ts'
import type { FollowUp } from '../core/pulls/merge/follow-up.ts'

/** What becomes of each answer of the forge. */
export interface PullReading {
  /**
   * Stores, publishes and schedules; one that can’t be stored does not keep the others from it.
   * Returns those that are known now.
   */
  take(results: readonly SnapshotResult[], options: ApplyOptions): Promise<Set<number>>
  /** It was read, and is no agent’s. */
  isStranger(number: number): boolean
  /** It was read, comes from a fork, and was reported. */
  isKnownFork(number: number): boolean
  /** Agents come and go. */
  forgetStrangers(): void
}

const settledOf = ({ mergeable, checksState }: PullRequestSnapshot): boolean | 'checks' =>
  mergeable !== 'unknown' && (checksState === 'unknown' ? 'checks' : true)

export function createPullReading(deps: {
  readonly forge: Pick<Forge, 'ensureChecks'>
  readonly records: PullRecords
  readonly schedule: Schedule
  readonly followed: FollowedPulls
  readonly followUp: FollowUp | undefined
  readonly log: Log
}): PullReading {
  const { forge, records, schedule, followed, followUp, log } = deps
  const strangers = new Set<number>()
  /** They stay what they are. */
  const forks = new Set<number>()
  /** Not found when it was last asked for. */
  const missed = new Set<number>()
  const checked = new Set<string>()

  /** A head that nothing has checked is checked, once asked for per head. */
  const ensureChecks = async (pull: PullRequestSnapshot): Promise<void> => {
    const unchecked = pull.checks.every(
      ({ status }) => status === 'interrupted' || status === 'cancelled',
    )
    const key = `${pull.number}:${pull.head.sha}`
    if (pull.state !== 'open' || !unchecked || pull.checksState === 'unknown' || checked.has(key))
      return
    checked.add(key)
    await forge
      .ensureChecks(pull.number)
      .catch((error: unknown) =>
        log.warn({ err: error, number: pull.number }, 'checks could not be started'),
      )
  }

  const drop = (number: number): void => {
    followed.drop(number)
    schedule.forget(number)
    missed.delete(number)
  }

  const found = async (snapshot: PullRequestSnapshot, options: ApplyOptions): Promise<void> => {
    missed.delete(snapshot.number)
    // Before it is reported: who is notified is to find it here, or to know why not.
    const after = await followUp?.(snapshot, () => records.mergedElsewhere(snapshot))
    const pull = await records.apply(after?.pull ?? snapshot, {
      ...options,
      localError: after?.localError,
      cancelled: after?.cancelled,
    })
    if (pull === undefined) {
      if (await records.reportFork(snapshot, options)) forks.add(snapshot.number)
      strangers.add(snapshot.number)
      return drop(snapshot.number)
    }
    followed.seen(pull)
    if (pull.state !== 'open') return drop(pull.number)
    schedule.read(pull.number, { active: isActive(pull), settled: settledOf(pull) })
    await ensureChecks(pull)
  }

  /**
   * Believed at the second time: an answer may be about what the forge has not got ready, or lost
   * for a moment.
   */
  const missing = async (number: number, options: ApplyOptions): Promise<void> => {
    log.warn({ number }, 'a pull request is not there any more')
    if (!missed.has(number)) {
      missed.add(number)
      return schedule.failed(number)
    }
    await records.gone(number, options)
    drop(number)
  }

  return {
    isStranger: (number) => strangers.has(number),
    isKnownFork: (number) => forks.has(number),
    forgetStrangers: () => strangers.clear(),

    take: async (results, options) => {
      const known = new Set<number>()
      for (const result of results) {
        const { number } = result
        try {
          if ('snapshot' in result) {
            await found(result.snapshot, options)
            known.add(number)
          } else if ('missing' in result) await missing(number, options)
          else {
            log.info({ number, reason: result.unknown }, 'a pull request could not be read')
            schedule.failed(number)
          }
        } catch (error) {
          log.error(
            { err: error, number },
            'what was found of a pull request could not be stored; it is read again',
          )
          schedule.failed(number)
        }
      }
      return known
    },
  }
}
