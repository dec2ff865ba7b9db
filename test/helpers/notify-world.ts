import { fileURLToPath } from 'node:url'
import type { Answer, Notice } from '../../src/adapters/notify/target.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import { createPeopleNotices, type PeopleNotices } from '../../src/delivery/notify/notify-people.ts'
import type { Policy } from '../../src/delivery/notify/policy.ts'
import { createIsStillOpen } from '../../src/delivery/notify/still-open.ts'
import type { ConfiguredTarget } from '../../src/delivery/notify/target-queue.ts'
import { createPublisher, type PublisherWithDeliveries } from '../../src/delivery/publisher.ts'
import { createRenderer } from '../../src/delivery/render/render.ts'
import { newDeliveryId } from '../../src/domain/ids.ts'
import type { Agent } from '../../src/domain/records.ts'
import { createLog, silentLog } from '../../src/runtime/log.ts'
import { createTextGate } from '../../src/sanitize/text-gate.ts'
import { memberRow } from './mail-world.ts'
import { virtualTime, type VirtualTime } from './virtual-time.ts'

/**
 * Test helper: notifications over a real store, in virtual time, with targets that a test answers
 * for. `main` is a root without a program, so that all that is asked comes to the human; `w` is its
 * worker.
 */
export interface NotifyWorld {
  readonly store: Store
  readonly root: Agent
  readonly worker: Agent
  readonly time: VirtualTime
  readonly logged: string[]
  /** What each target was sent, also what it did not answer. */
  readonly sent: { readonly target: string; readonly notice: Notice; readonly at: number }[]
  /** Of the daemon that runs now. */
  notices(): PeopleNotices
  publisher(): PublisherWithDeliveries
  /** What targets answer; by default all is well. */
  answer: (target: string, notice: Notice) => Answer | Promise<Answer>
  /** Throws where the configuration is not trusted. */
  requireTrust: () => Promise<void>
  /** Something waits for approval; returns its id. */
  ask(what: string): Promise<string>
  decide(id: string): Promise<void>
  pass(seconds: number): Promise<void>
  /** Ends the daemon as kill -9 does, and starts the next one. */
  killAndStart(): Promise<void>
  close(): Promise<void>
}

export const targetOf = (
  name: string,
  policy: Partial<Policy> = {},
  more: Partial<ConfiguredTarget> = {},
): Omit<ConfiguredTarget, 'target'> => ({
  name,
  kind: 'webhook',
  policy: { after: 0, quiet: null, every: 60_000, each: false, ...policy },
  text: false,
  isPlain: false,
  ...more,
})

const templates = fileURLToPath(new URL('../../templates', import.meta.url))

export async function openNotifyWorld(
  file: string,
  targets: () => readonly Omit<ConfiguredTarget, 'target'>[],
): Promise<NotifyWorld> {
  const store = await openSqliteStore({ file, log: silentLog() })
  const time = virtualTime()
  const root = memberRow('main', null)
  const worker = memberRow('w', root)
  await store.agents.insert(root)
  await store.agents.insert(worker)
  const logged: string[] = []
  const log = createLog({
    level: 'info',
    destination: { write: (line) => void logged.push(line) },
  })
  const sent: NotifyWorld['sent'] = []
  let count = 0
  let alive = { isDead: false }
  let publisher: PublisherWithDeliveries
  let notices: PeopleNotices

  const start = (): void => {
    const own = { isDead: false }
    alive = own
    const renderer = createRenderer({
      shippedFolder: templates,
      overrideFolder: () => Promise.resolve(null),
      log,
    })
    publisher = createPublisher({ store, renderer, clock: time.clock, log, newDeliveryId })
    notices = createPeopleNotices({
      store,
      publisher,
      isStillOpen: createIsStillOpen(store),
      requireTrust: () => world.requireTrust(),
      gate: createTextGate(),
      clock: time.clock,
      log,
      startedAt: time.clock(),
      // Of a process that is gone no timer comes, and no answer is heard.
      timers: {
        after: (milliseconds, callback) =>
          time.timers.after(milliseconds, () => own.isDead || callback()),
      },
      targets: async () =>
        targets().map((target) => ({
          ...target,
          target: {
            send: async (notice, signal) => {
              sent.push({ target: target.name, notice, at: time.clock() })
              const answer = await Promise.race([
                world.answer(target.name, notice),
                new Promise<Answer>((resolve) =>
                  signal.addEventListener('abort', () =>
                    resolve({ ok: false, reason: 'stopped', again: true }),
                  ),
                ),
              ])
              return own.isDead ? new Promise<never>(() => {}) : answer
            },
          },
        })),
    })
    notices.start()
  }

  const world: NotifyWorld = {
    store,
    root,
    worker,
    time,
    logged,
    sent,
    notices: () => notices,
    publisher: () => publisher,
    answer: () => ({ ok: true, said: 'thanks' }),
    requireTrust: async () => {},
    ask: async (what) => {
      const id = `a-${++count}`
      const at = time.clock()
      await store.transaction(async (tx) => {
        await tx.approvals.insert({
          ...{ id, agentId: worker.id, what, requestedAt: at },
          ...{ decision: null, decidedAt: null, reason: null },
        })
        const payload = { approval_id: id, name: 'w', what }
        await publisher.publish(
          { type: 'approval.requested', agentId: worker.id, actor: worker.id, payload },
          tx,
        )
      })
      return id
    },
    decide: async (id) => {
      await store.approvals.decide(id, 'approved', null, time.clock())
    },
    pass: (seconds) => time.pass(seconds * 1000, () => notices.settled()),
    killAndStart: async () => {
      alive.isDead = true
      start()
      await notices.settled()
    },
    close: async () => {
      await notices.stop()
      await store.close()
    },
  }
  start()
  await notices!.settled()
  return world
}
