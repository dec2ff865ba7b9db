import type { FullPull, RawState } from './answers.ts'
import { isUnderWay } from './checks/pull-checks.ts'

/** Everything is read anew after this, whatever the state says. Milliseconds. */
const SWEEP = 10 * 60_000
/**
 * From this age on it is read anew where that costs nothing, so that nothing is left for when it
 * has to be. Milliseconds.
 */
const OLD = 7 * 60_000
/** A check that ends doesn’t always change what all come to. Milliseconds. */
const UNDER_WAY = 60_000
/**
 * GitHub’s times are whole seconds: what changed about when it was read may have changed again
 * since. Milliseconds.
 */
const BLURRED = 5_000

interface Entry {
  readonly pull: FullPull
  /** When its reading began; milliseconds since the epoch. */
  readonly readAt: number
}

/**
 * Open pull requests as they were last read in full. In memory only: after a restart all are read
 * again.
 */
export interface Cache {
  /** Node id; undefined where it was never read. */
  nodeId(number: number): string | undefined
  /** Whether it has to be read in full whatever its state is by now. */
  isDue(number: number): boolean
  /** So many of those that were read longest ago, and not lately, but for these. */
  oldest(count: number, except: readonly number[]): number[]
  /**
   * What was read in full, with the state of now, where nothing else can have changed since;
   * undefined where it has to be read again.
   */
  brought(state: RawState): FullPull | undefined
  put(pull: FullPull, readAt: number): void
  remove(number: number): void
}

export function createCache({ clock }: { clock: () => number }): Cache {
  const entries = new Map<number, Entry>()

  const isStale = ({ pull, readAt }: Entry, state: RawState): boolean => {
    const age = clock() - readAt
    // A clock that was set back says nothing of age.
    if (age < 0 || age >= SWEEP || markOf(state) !== markOf(pull.state)) return true
    if (isUnderWay(pull) && age >= UNDER_WAY) return true
    // What GitHub did not say then it may say now.
    if (pull.threads === null && age >= UNDER_WAY) return true
    return Math.abs(Date.parse(state.updatedAt) - readAt) < BLURRED
  }
  const ageOf = ({ readAt }: Entry): number => clock() - readAt

  return {
    nodeId: (number) => entries.get(number)?.pull.state.id,
    isDue(number) {
      const entry = entries.get(number)
      return entry === undefined || isStale(entry, entry.pull.state)
    },
    oldest: (count, except) =>
      [...entries]
        .filter(([number, entry]) => ageOf(entry) >= OLD && !except.includes(number))
        .sort(([, one], [, other]) => one.readAt - other.readAt)
        .slice(0, Math.max(count, 0))
        .map(([number]) => number),
    brought(state) {
      const entry = entries.get(state.number)
      return entry === undefined || isStale(entry, state) ? undefined : { ...entry.pull, state }
    },
    put(pull, readAt) {
      const { number, state } = pull.state
      const before = entries.get(number)?.readAt ?? 0
      if (state !== 'OPEN') entries.delete(number)
      // An answer that was overtaken by a later one doesn’t replace it.
      else if (before <= readAt || before > clock()) entries.set(number, { pull, readAt })
    },
    remove: (number) => void entries.delete(number),
  }
}

/**
 * What shows that reviews, comments or checks may have changed. Mergeability and the base’s tip are
 * part of the state itself.
 */
const markOf = (pull: RawState): string => {
  const {
    state,
    headRefOid,
    baseRefName,
    isDraft,
    reviewDecision,
    mergeStateStatus,
    updatedAt,
    statusCheckRollup,
    mergeQueueEntry,
  } = pull
  // Its checks there; the place is part of the state itself.
  const queued = [
    mergeQueueEntry?.headCommit?.oid,
    mergeQueueEntry?.headCommit?.statusCheckRollup?.state,
  ]
  return JSON.stringify([
    state,
    headRefOid,
    baseRefName,
    isDraft,
    reviewDecision,
    mergeStateStatus === 'BLOCKED',
    updatedAt,
    statusCheckRollup?.state,
    queued,
  ])
}
