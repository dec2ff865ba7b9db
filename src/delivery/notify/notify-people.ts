import { randomUUID } from 'node:crypto'
import type { Notifications } from '../../core/mail/notification-use-cases.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { PublisherWithDeliveries } from '../publisher.ts'
import { createMarks, troubleOf, type NotifyTrouble } from './marks.ts'
import { testNotice } from './notice.ts'
import { createTargetQueue, type ConfiguredTarget, type QueueDeps } from './target-queue.ts'
import type { TargetQueue } from './target-queue.ts'

export interface PeopleNotices extends Notifications {
  /** Tells what is open and was not told, and from then on what comes. */
  start(): void
  /** Resolves when nothing is under way but waiting for time to pass. */
  settled(): Promise<void>
  /** Of the targets that do not take what they are sent. */
  trouble(): Promise<(NotifyTrouble & { readonly target: string })[]>
  stop(): Promise<void>
}

/**
 * Between two looks at the configuration, and at what comes into the inbox by other ways than a new
 * message. Milliseconds.
 */
const LOOK_EVERY = 60_000

/** Tells people what needs them: each target of the configuration has a queue of its own. */
export function createPeopleNotices(
  deps: Omit<QueueDeps, 'current' | 'plainSince' | 'working'> & {
    /** When this daemon began (ms since the epoch). */
    readonly startedAt: number
    readonly publisher: PublisherWithDeliveries
    /** As configured now. */
    readonly targets: () => Promise<readonly ConfiguredTarget[]>
  },
): PeopleNotices {
  const { publisher, targets, timers, log } = deps
  const queues = new Map<string, TargetQueue>()
  const activity = createActivity()
  let unsubscribe = (): void => {}
  let cancelLook = (): void => {}
  let stopped = false
  /** What came before `notify.command` was there is none of its business. */
  let plainSince = deps.startedAt

  const queueOf = (name: string): TargetQueue => {
    const known = queues.get(name)
    if (known !== undefined) return known
    const queue = createTargetQueue(name, {
      ...deps,
      current: async (wanted) => (await targets()).find((target) => target.name === wanted),
      plainSince: () => plainSince,
      working: activity.change,
    })
    queues.set(name, queue)
    return queue
  }

  const wakeAll = async (): Promise<void> => {
    activity.change(true)
    try {
      const all = await targets()
      if (!all.some(({ isPlain }) => isPlain)) plainSince = deps.clock() + 1
      for (const { name } of all) if (!stopped) queueOf(name).wake()
    } catch (thrown) {
      log.warn({ err: thrown }, 'the targets of [notify] could not be read')
    } finally {
      activity.change(false)
    }
  }

  const look = (): void => {
    if (stopped) return
    void wakeAll()
    cancelLook = timers.after(LOOK_EVERY, look)
  }

  return {
    start: () => {
      unsubscribe = publisher.onEnqueued((recipients) => {
        if (recipients.includes('human')) void wakeAll()
      })
      look()
    },
    settled: activity.ended,
    test: async (wanted) => {
      await deps.requireTrust()
      const tried = await Promise.all(
        chosen(await targets(), wanted).map(async ({ name, kind, target }) => {
          const notice = testNotice(randomUUID())
          const answer = await target.send(notice, new AbortController().signal)
          // That it works is known again: what waits for it is sent.
          if (answer.ok) await createMarks(name, deps).told(kind, notice, [])
          const said = answer.ok ? answer.said : answer.reason
          return { target: name, kind, ok: answer.ok, answer: deps.gate.text(said) }
        }),
      )
      void wakeAll()
      return { answers: tried }
    },
    trouble: async () => {
      const all = await Promise.all(
        (await targets()).map(async ({ name: target }) => {
          const trouble = await troubleOf(deps.store, target)
          return trouble === null ? [] : [{ ...trouble, target }]
        }),
      )
      return all.flat()
    },
    stop: async () => {
      stopped = true
      unsubscribe()
      cancelLook()
      await Promise.all([...queues.values()].map((queue) => queue.stop()))
    },
  }
}

function chosen(
  targets: readonly ConfiguredTarget[],
  wanted: string | undefined,
): readonly ConfiguredTarget[] {
  if (targets.length === 0) {
    throw new ExomonadError(
      'NOT_AVAILABLE',
      'No notifications are configured: write a [notify.targets.NAME] into .exomonad/config.toml. docs/overnight.md has an example of each kind.',
    )
  }
  const found = wanted === undefined ? targets : targets.filter(({ name }) => name === wanted)
  if (found.length > 0) return found
  const names = targets.map(({ name }) => name)
  throw new ExomonadError(
    'INVALID_ARG',
    `There is no target ${JSON.stringify(wanted)} in [notify]; there are ${names.join(', ')}.`,
    { found: wanted, allowed: names },
  )
}

/** How many parts are at work, and when none is. */
function createActivity(): { change(begins: boolean): void; ended(): Promise<void> } {
  let active = 0
  let waiting: (() => void)[] = []
  return {
    change: (begins) => {
      active += begins ? 1 : -1
      if (active > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
    ended: () =>
      active === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
