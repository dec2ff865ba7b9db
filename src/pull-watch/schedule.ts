/** Between two looks, milliseconds: with something pending, and without. */
export interface Cadence {
  readonly active: number
  readonly idle: number
}

/**
 * When which pull request is looked at. Times are of the steady clock; the cadence is asked for
 * each time, because limits and settings change.
 */
export interface Schedule {
  /**
   * It was read now; `settled`: all that can be known of it is. What isn’t is read again soon, each
   * time later; where only `checks` that may still begin are not known, that has a while: nothing
   * is concluded before.
   */
  read(
    number: number,
    state: { readonly active: boolean; readonly settled: boolean | 'checks' },
  ): void
  /** It could not be read, or not be stored. */
  failed(number: number): void
  forget(number: number): void
  /** Something is in the way of reading it, and it waits for its next try. */
  backsOff(number: number): boolean
  /** What is to be read now. */
  due(cadence: Cadence): number[]
  /** When the next is due; undefined where there is none. */
  next(cadence: Cadence): number | undefined
  /** Everything is due. */
  hurry(): void
}

interface Entry {
  readonly readAt: number
  readonly active: boolean
  /** Milliseconds until it is tried again; 0: it was read. */
  readonly wait: number
}

const FIRST_RETRY = 1_000
/**
 * So long a forge gets to begin with what checks a head (see GitHub’s pull-checks.ts); looks before
 * then would mostly find nothing.
 */
const CHECKS_RETRY = 15_000

export function createSchedule(now: () => number): Schedule {
  const entries = new Map<number, Entry>()
  const pace = ({ active }: Entry, cadence: Cadence): number =>
    active ? cadence.active : cadence.idle
  const dueAt = (entry: Entry, cadence: Cadence): number =>
    entry.readAt + (entry.wait > 0 ? Math.min(entry.wait, cadence.active) : pace(entry, cadence))
  const later = (number: number, active: boolean, first = FIRST_RETRY): void => {
    entries.set(number, {
      readAt: now(),
      active,
      wait: Math.max((entries.get(number)?.wait ?? 0) * 2, first),
    })
  }

  return {
    read: (number, { active, settled }) => {
      if (settled === true) entries.set(number, { readAt: now(), active, wait: 0 })
      else later(number, active, settled === 'checks' ? CHECKS_RETRY : FIRST_RETRY)
    },
    failed: (number) => later(number, entries.get(number)?.active ?? true),
    forget: (number) => void entries.delete(number),
    backsOff: (number) => (entries.get(number)?.wait ?? 0) > 0,
    due: (cadence) => {
      const at = now()
      const all = [...entries]
      const due = all.filter(([, entry]) => dueAt(entry, cadence) <= at)
      // One call reads many for the same price: those of the same pace come along, and then keep
      // step.
      const paces = new Set(
        due.filter(([, { wait }]) => wait === 0).map(([, entry]) => pace(entry, cadence)),
      )
      // So do idle ones that would be due before the active ones are looked at again: a call of
      // their own costs more than to look a little early.
      const soon = (entry: Entry): boolean =>
        due.length > 0 && !entry.active && dueAt(entry, cadence) < at + cadence.active
      const along = all.filter(
        ([, entry]) =>
          entry.wait === 0 &&
          (paces.has(pace(entry, cadence)) || soon(entry)) &&
          entry.readAt + pace(entry, cadence) / 2 <= at,
      )
      return [...new Set([...due, ...along].map(([number]) => number))]
    },
    next: (cadence) => {
      let next: number | undefined
      for (const entry of entries.values()) next = Math.min(next ?? Infinity, dueAt(entry, cadence))
      return next
    },
    hurry: () => {
      for (const [number, entry] of entries) entries.set(number, { ...entry, readAt: -Infinity })
    },
  }
}
