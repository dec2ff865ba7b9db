import { quietUntil, type QuietHours } from '../../domain/quiet-hours.ts'

/** When a target is told of what. Times and spans are milliseconds, times since the epoch. */
export interface Policy {
  /** What is still open so long after it began. */
  readonly after: number
  readonly quiet: QuietHours | null
  /** The least between two messages. */
  readonly every: number
  /** One message for each thing, where quiet hours did not hold it back; else one for all. */
  readonly each: boolean
}

/** Something open that the target was not told of yet. */
export interface Unannounced {
  readonly id: string
  readonly at: number
}

export interface Plan<Item> {
  /** What is to be sent now. */
  readonly due: readonly Item[]
  /** When something of the rest is to be sent; null where there is no rest. */
  readonly next: number | null
}

/** How long a target that failed so many times in a row is left alone. */
const FIRST_PAUSE = 60_000
const LONGEST_PAUSE = 3_600_000
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, Math.min(failures - 1, 10)))

/** What has happened to a target before. */
export interface Before {
  readonly sentAt: number | null
  readonly failedAt: number | null
  /** In a row. */
  readonly failures: number
}

/** A clock that was set back must not make anybody wait for it: what lies ahead counts for nothing. */
const past = (at: number | null, now: number): number =>
  at === null || at > now ? Number.NEGATIVE_INFINITY : at

/** Of what a target was not told of: what it is told now, and when to look again. */
export function plan<Item extends Unannounced>(
  policy: Policy,
  now: number,
  before: Before,
  unannounced: readonly Item[],
): Plan<Item> {
  const earliest = Math.max(
    now,
    past(before.sentAt, now) + policy.every,
    past(before.failedAt, now) + (before.failures === 0 ? 0 : pauseAfter(before.failures)),
  )
  const timed = unannounced.map((item) => {
    const ready = Math.max(earliest, Math.min(item.at, now) + policy.after)
    return { item, at: (policy.quiet && quietUntil(policy.quiet, ready)) ?? ready }
  })
  const later = timed.filter(({ at }) => at > now).map(({ at }) => at)
  return {
    due: timed.filter(({ at }) => at <= now).map(({ item }) => item),
    next: later.length === 0 ? null : Math.min(...later),
  }
}

/** What is due, as it is sent: mostly all at once. */
export function batches<Item extends Unannounced>(
  { each, quiet }: Policy,
  due: readonly Item[],
): (readonly Item[])[] {
  const isHeld = ({ at }: Item): boolean => quiet !== null && quietUntil(quiet, at) !== null
  const together = each ? due.filter(isHeld) : due
  const alone = each ? due.filter((item) => !isHeld(item)) : []
  return [...(together.length === 0 ? [] : [together]), ...alone.map((item) => [item])]
}
