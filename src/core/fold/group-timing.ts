import type { MergeResults } from '../../adapters/forge/merge-results.ts'
import type { BranchName } from '../../domain/ids.ts'
import type { Quiet } from './quiet.ts'
import type { Clock } from '../../domain/clock.ts'

/** A share of what a check takes, and its bounds, milliseconds. */
const LINGER = { share: 0.3, least: 1_000, most: 30_000 }
/**
 * So many checks long, within these bounds, it waits at most for others to come once there is a
 * place: more may always be about to.
 */
const TURN = { checks: 12, least: 5_000, most: 120_000 }
/**
 * Until the end of a check is an event, and between looks at one that is about to end,
 * milliseconds.
 */
const TOLD = 300
const SOON = 100

/**
 * When a group is closed: one that waits for its turn is checked together with what is about to
 * come, as long as that does not take too many checks.
 */
export function createGroupTiming({
  results,
  quiet,
  clock,
  later,
}: {
  results: Pick<MergeResults, 'typicalDuration' | 'activity' | 'look'>
  quiet: Quiet
  clock: Clock
  later: (milliseconds: number, work: () => void) => void
}) {
  /**
   * Returns whether the group of this base may be closed now; where it may not, `results` looks
   * again when that may have changed. `isEmpty`: nothing waits any more.
   * `incompleteSince`: more of what was found green together is to be asked for, when the last one
   * was (milliseconds since the epoch): as long as a check would take that is waited for.
   */
  return async (
    base: BranchName,
    isEmpty: () => boolean,
    incompleteSince: () => number | undefined,
  ): Promise<() => boolean> => {
    const typical = await results.typicalDuration()
    const linger = Math.min(Math.max(typical * LINGER.share, LINGER.least), LINGER.most)
    const soonest = Math.min(Math.max(typical, LINGER.least), LINGER.most)
    const turnLimit = Math.min(Math.max(typical * TURN.checks, TURN.least), TURN.most)
    let turnAt: number | undefined
    /** When it is looked at again (ms since the epoch). */
    let lookAt = Infinity
    /** One look is of all that wait: each of them may have one to come, or they multiply. */
    const lookIn = (wait: number): void => {
      const at = clock() + wait
      if (at >= lookAt) return
      lookAt = at
      later(wait, () => {
        // An earlier one took its place.
        if (at !== lookAt) return
        lookAt = Infinity
        results.look()
      })
    }
    return (): boolean => {
      turnAt ??= clock()
      const { lastEnded, running } = results.activity(base)
      // What has just ended is reported a moment later, and what is about to end may belong into
      // the same result.
      const ends = running
        .map((started) => started + typical - clock())
        .filter((left) => left <= soonest && left >= -linger)
      const others = Math.max(
        lastEnded + TOLD - clock(),
        quiet.in(base, linger),
        (incompleteSince() ?? -Infinity) + Math.min(typical, LINGER.most) - clock(),
        ...ends.map((left) => Math.max(left, SOON)),
      )
      const wait = isEmpty() ? 0 : Math.min(others, turnAt + turnLimit - clock())
      if (wait > 0) lookIn(wait + 1)
      return wait <= 0
    }
  }
}
