import type { Answer, Notice, NotifyTarget } from '../../adapters/notify/target.ts'
import type { Store } from '../../adapters/store/store.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../domain/clock.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { Delivery } from '../../domain/records.ts'
import type { Publisher } from '../../events/publish.ts'
import type { Log } from '../../runtime/log.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import type { Timers } from '../timers.ts'
import { createMarks, type Mark } from './marks.ts'
import { composeNotice } from './notice.ts'
import { batches, plan, type Before, type Policy } from './policy.ts'
import type { IsStillOpen } from './still-open.ts'
import { itemOf, waitingForPerson, type InboxItem } from './unannounced.ts'

/** A target as it is configured now. */
export interface ConfiguredTarget {
  /** `notify.command`, or NAME of [notify.targets.NAME]. */
  readonly name: string
  readonly kind: Config['notify']['targets'][string]['kind']
  readonly policy: Policy
  /** It gets the words. */
  readonly text: boolean
  /**
   * `notify.command` as it has always been: urgent messages alone, each as it is, once, and not
   * those that came while the configuration was not trusted.
   */
  readonly isPlain: boolean
  readonly target: NotifyTarget
}

export interface QueueDeps {
  readonly store: Store
  readonly publisher: Publisher
  readonly isStillOpen: IsStillOpen
  /** Undefined where it is not configured any more. */
  readonly current: (name: string) => Promise<ConfiguredTarget | undefined>
  /** Throws UNTRUSTED_CONFIG. */
  readonly requireTrust: () => Promise<void>
  readonly gate: TextGate
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  /** Since when `notify.command` may have been configured, without a break (ms since the epoch). */
  readonly plainSince: () => number
  /** Called with whether it works; false also while it waits for time to pass. */
  readonly working: (isWorking: boolean) => void
}

export interface TargetQueue {
  /** Looks at what waits, now or after what is under way. */
  wake(): void
  /** Ends what is under way: it is sent at the next start. */
  stop(): Promise<void>
}

/** Between the attempts to send one message. Milliseconds. */
const BETWEEN_TRIES = [1000, 4000]
/** What a target asks for is waited for so long at most; then it is one that failed. */
const LONGEST_ASKED = 30_000
/** Timers stand still while the machine sleeps: it is looked at what time it is. */
const LONGEST_TIMER = 60_000

/**
 * Tells one target what needs a person, by itself: one that hangs delays no other. What is still to
 * be told is derived from the store each time, so that nothing is lost with the daemon; that it was
 * told is stored with the event of it.
 */
export function createTargetQueue(name: string, deps: QueueDeps): TargetQueue {
  const { store, clock, timers, log } = deps
  const marks = createMarks(name, deps)
  const leaving = new AbortController()
  let running: Promise<void> | undefined
  let again = false
  let saidUntrusted = false
  let cancelTimer = (): void => {}

  const arm = (at: number): void => {
    cancelTimer()
    cancelTimer = timers.after(Math.min(Math.max(at - clock(), 0), LONGEST_TIMER), wake)
  }

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      deps.working(false)
      const go = (): void => {
        cancel()
        leaving.signal.removeEventListener('abort', go)
        deps.working(true)
        resolve()
      }
      const cancel = timers.after(milliseconds, go)
      leaving.signal.addEventListener('abort', go, { once: true })
    })

  const send = async ({ target, isPlain }: ConfiguredTarget, notice: Notice): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await target.send(notice, leaving.signal)
      const wait = isPlain ? undefined : BETWEEN_TRIES[attempt]
      if (answer.ok || !answer.again || wait === undefined || leaving.signal.aborted) return answer
      await pause(Math.max(wait, Math.min(answer.after ?? 0, LONGEST_ASKED)))
      if (leaving.signal.aborted) return answer
    }
  }

  /** Whether it goes on with the next message. */
  const announce = async (to: ConfiguredTarget, items: readonly InboxItem[]): Promise<boolean> => {
    // What has become known as a secret since it was stored is none of theirs either.
    const notice = composeNotice(name, deps.gate.data(items), to)
    const answer = await send(to, notice)
    // What was cut off by the end of the daemon is still to be told.
    if (leaving.signal.aborted && !answer.ok) return false
    const ids = items.map(({ id }) => id)
    if (answer.ok) await marks.told(to.kind, notice, ids)
    else await marks.failed(answer.reason, to.isPlain ? ids : [])
    return answer.ok || to.isPlain
  }

  const isTrusted = async (): Promise<boolean> => {
    try {
      await deps.requireTrust()
      saidUntrusted = false
      return true
    } catch (thrown) {
      if (!saidUntrusted)
        log.warn({ target: name, reason: asExomonadError(thrown).message }, 'nobody was notified')
      saidUntrusted = true
      return false
    }
  }

  /** What to look at again when; null where nothing waits. */
  const round = async (): Promise<number | null> => {
    const to = await deps.current(name)
    if (to === undefined) return null
    const mark = await marks.read(to.isPlain ? deps.plainSince() : 0)
    const waiting = await waitingForPerson(store, { urgentOnly: to.isPlain })
    const fresh = waiting
      .filter(({ id, createdAt }) => createdAt >= mark.since && !mark.done.includes(id))
      .map((delivery) => ({ ...delivery, at: delivery.createdAt }))
    const { due, next } = plan(to.policy, clock(), beforeOf(to, mark), fresh)
    if (due.length === 0) return next
    if (!(await isTrusted())) {
      if (to.isPlain) await marks.settled(due.map(({ id }) => id))
      return clock() + LONGEST_TIMER
    }
    const { open, settled } = await sorted(deps, due)
    if (settled.length > 0) await marks.settled(settled)
    for (const batch of batches(to.policy, open)) if (!(await announce(to, batch))) break
    again = true
    return null
  }

  const work = async (): Promise<void> => {
    deps.working(true)
    do {
      again = false
      try {
        const next = await round()
        if (next !== null && !leaving.signal.aborted) arm(next)
      } catch (thrown) {
        log.warn({ err: thrown, target: name }, 'notifying failed; it is tried again')
        if (!leaving.signal.aborted) arm(clock() + LONGEST_TIMER)
      }
    } while (again && !leaving.signal.aborted)
    running = undefined
    deps.working(false)
  }

  function wake(): void {
    if (leaving.signal.aborted) return
    if (running === undefined) running = work()
    else again = true
  }

  return {
    wake,
    stop: async () => {
      leaving.abort()
      cancelTimer()
      await running
    },
  }
}

/** `notify.command` is run again for the next message, whatever came of the last. */
const beforeOf = ({ isPlain }: ConfiguredTarget, { sentAt, trouble }: Mark): Before => ({
  sentAt,
  failedAt: isPlain ? null : (trouble?.at ?? null),
  failures: isPlain ? 0 : (trouble?.failures ?? 0),
})

/** What is due, by whether it still needs somebody. */
async function sorted(
  { store, isStillOpen }: Pick<QueueDeps, 'store' | 'isStillOpen'>,
  due: readonly Delivery[],
): Promise<{ readonly open: InboxItem[]; readonly settled: string[] }> {
  const open: InboxItem[] = []
  const settled: string[] = []
  for (const delivery of due) {
    const item = await itemOf(store, delivery)
    if (item !== undefined && (await isStillOpen(item.stored))) open.push(item)
    else settled.push(delivery.id)
  }
  return { open, settled }
}
