import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Delivery, NewStoredEvent, StoredEvent } from '../../../src/domain/records.ts'
import type { EventType } from '../../../src/events/event.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { settledNews, withdraw } from '../../../src/delivery/withdrawal.ts'
import {
  asBranchName,
  newDeliveryId,
  type AgentId,
  type Recipient,
} from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { OWNER, pull, sha } from './pull.ts'

/** What becomes of news in the store while it waits. */

const ABOUT = 'local://pull/3'
const NOW = 42
let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exomonad-news-'))
  store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const event = async (
  type: EventType,
  payload: Record<string, unknown> = {},
  at = NOW,
): Promise<number> => {
  const stored: NewStoredEvent = {
    type,
    at,
    agentId: OWNER,
    actor: 'daemon',
    why: null,
    dedupeKey: null,
    payload,
  }
  return (await store.events.append(stored))!.seq
}
const enqueue = async (
  recipient: Recipient,
  kind: EventType,
  eventSeq: number | null,
  subject = ABOUT,
): Promise<Delivery> => {
  const id = newDeliveryId()
  await store.outbox.enqueue({ id, recipient, eventSeq, kind, subject, text: kind, createdAt: NOW })
  return (await store.outbox.get(id))!
}

describe('that a pull request can be merged', () => {
  /** Another one beside it, of which everything is unknown. */
  const news = async (facts: Partial<PullRequestSnapshot>, lookedSeq?: number): Promise<number> => {
    await event('pr.ready', { number: 2 })
    const seq = await event('pr.ready', { number: 3 })
    await event('pr.ready', { number: 2 })
    const unknown = { snapshot: pull({ url: ABOUT, mergeable: 'unknown' }), tracking: {} }
    await store.snapshots.put('pull:2', unknown)
    await store.snapshots.put('pull:3', {
      snapshot: pull(facts),
      tracking: { ...(lookedSeq === undefined ? {} : { lookedSeq }) },
    })
    return seq
  }
  const MAIN = (tip: string | null) => ({
    base: { branch: asBranchName('main'), sha: tip === null ? null : sha(tip) },
  })
  const LOOKED = 100

  it.each<
    [
      string,
      Partial<PullRequestSnapshot>,
      Record<string, unknown> | undefined,
      number | undefined,
      boolean,
    ]
  >([
    ['nothing is known of its base', {}, undefined, LOOKED, true],
    ['whether it conflicts is not known', { mergeable: 'unknown' }, undefined, LOOKED, false],
    ['what its checks say is not known', { checksState: 'unknown' }, undefined, LOOKED, false],
    ['it conflicts: that is known', { mergeable: 'conflicting' }, undefined, LOOKED, true],
    [
      'it was looked at before the last merge into its base',
      {},
      { mergedSeq: LOOKED + 1 },
      LOOKED,
      false,
    ],
    [
      'it was looked at after the last merge into its base',
      {},
      { mergedSeq: LOOKED },
      LOOKED,
      true,
    ],
    ['nobody knows when it was looked at', {}, { mergedSeq: LOOKED }, undefined, true],
    ['it was looked at with the tip that its base has', MAIN('b'), { sha: sha('b') }, LOOKED, true],
    ['it was looked at with another tip', MAIN('b'), { sha: sha('c') }, LOOKED, false],
    ['it was looked at without any tip', MAIN(null), { sha: sha('c') }, LOOKED, true],
    ['nobody knows the tip', MAIN('b'), { mergedSeq: LOOKED }, LOOKED, true],
    [
      'the number is by now that of another',
      { url: 'local://elsewhere/3', mergeable: 'unknown' },
      undefined,
      LOOKED,
      true,
    ],
  ])('is said or kept back where %s', async (_, facts, base, lookedSeq, said) => {
    const seq = await news(facts, lookedSeq)
    if (base !== undefined) await store.snapshots.put('base:main', base)
    await store.snapshots.put('base:dev', { sha: sha('e'), mergedSeq: LOOKED + 9 })
    const waiting = await enqueue(OWNER, 'pr.ready', seq)
    expect(await settledNews(store, [waiting])).toEqual(said ? [waiting] : [])
  })

  it('alone is kept back, and of several that wait only what is not settled; of what nothing is known any more nothing is kept back', async () => {
    const seq = await news({ mergeable: 'unknown' })
    const conflict = await enqueue(OWNER, 'pr.conflict', seq)
    const ready = await enqueue(OWNER, 'pr.ready', seq)
    const mail = await enqueue(OWNER, 'pr.ready', null)
    expect(await settledNews(store, [conflict, ready, mail])).toEqual([conflict, mail])
    await store.snapshots.remove('pull:3')
    expect(await settledNews(store, [conflict, ready, mail])).toEqual([conflict, ready, mail])
    await store.events.prune(NOW + 1)
    expect(await settledNews(store, [ready])).toEqual([ready])
  })
})

describe('what waits and is no longer so', () => {
  const withdrawn = (
    reasonOf: (event: StoredEvent, delivery: Delivery) => string | undefined,
  ): Promise<string[]> => {
    const renderer = {
      render: () => Promise.reject(new Error('nobody is notified')),
      renderPrompt: () => Promise.reject(new Error('nobody is notified')),
    }
    const publisher = createPublisher({
      store,
      renderer,
      clock: () => NOW + 1,
      log: silentLog(),
      newDeliveryId,
    })
    return store.transaction((tx) =>
      withdraw({ tx, store, publisher, clock: () => NOW + 1 }, ABOUT, reasonOf),
    )
  }
  const stateOf = async ({ id }: Delivery) => {
    const { state, why, settledAt } = (await store.outbox.get(id))!
    return [state, why, settledAt]
  }
  const WAITING = ['queued', null, null]

  it('is withdrawn with its reason, which the log has; what is so, of something else, or delivered, stays', async () => {
    await event('note')
    const [ready, conflict] = [
      await event('pr.ready', { number: 3 }),
      await event('pr.conflict', { number: 3 }),
    ]
    const gone = await enqueue(OWNER, 'pr.ready', ready)
    const person = await enqueue('human', 'pr.ready', ready)
    const stays = [
      await enqueue(OWNER, 'pr.conflict', conflict),
      await enqueue(OWNER, 'pr.ready', ready, 'local://pull/4'),
      await enqueue(OWNER, 'mail', null),
    ]
    const sent = await enqueue(OWNER, 'pr.ready', ready)
    await store.outbox.claim([sent.id], 'pane', 'batch', NOW)
    expect(
      await withdrawn(({ type, seq }, { recipient, eventSeq }) =>
        type === 'pr.ready' && seq === eventSeq ? `no more for ${recipient}` : undefined,
      ),
    ).toEqual(['pr.ready', 'pr.ready'])
    expect([await stateOf(gone), await stateOf(person)]).toEqual([
      ['withdrawn', `no more for ${OWNER}`, NOW + 1],
      ['withdrawn', 'no more for human', NOW + 1],
    ])
    for (const delivery of stays) expect(await stateOf(delivery)).toEqual(WAITING)
    expect((await store.outbox.get(sent.id))?.state).toBe('sent')
    expect(await store.events.list({ types: ['delivery.withdrawn'] })).toMatchObject([
      {
        agentId: OWNER,
        actor: 'daemon',
        payload: { delivery_id: gone.id, reason: `no more for ${OWNER}` },
      },
      {
        agentId: null,
        actor: 'daemon',
        payload: { delivery_id: person.id, reason: 'no more for human' },
      },
    ])
  })

  it('stays where its own event is not there any more, whatever the next one says', async () => {
    const old = await enqueue(OWNER, 'pr.ready', await event('pr.ready', {}, NOW - 10))
    await event('pr.conflict', {})
    await store.events.prune(NOW - 1)
    expect(await withdrawn(() => 'no more')).toEqual([])
    expect(await stateOf(old)).toEqual(WAITING)
    expect(await store.events.list({ types: ['delivery.withdrawn'] })).toEqual([])
  })

  it('wakes whoever waits for its recipient to have nothing left, once that is so', async () => {
    const seq = await event('pr.ready')
    const mine = await enqueue(OWNER, 'pr.ready', seq)
    await enqueue('human', 'pr.ready', seq)
    const woken: Promise<unknown>[] = []
    store.subscribe(OWNER, () => void woken.push(stateOf(mine)))
    store.subscribe('human' as AgentId, () => void woken.push(Promise.resolve('a person')))
    await withdrawn(() => 'no more')
    await expect.poll(() => woken.length).toBe(1)
    expect(await Promise.all(woken)).toEqual([['withdrawn', 'no more', NOW + 1]])
  })
})
