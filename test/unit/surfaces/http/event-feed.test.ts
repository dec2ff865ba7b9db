import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '../../../../src/domain/records.ts'
import { followEvents, type EventQuery } from '../../../../src/surfaces/http/event-feed.ts'
import { scriptedEvents, type ScriptedEvents } from '../scripted-core.ts'

/** Reads until `count` events came, then leaves, as a client does. */
async function read(
  source: ScriptedEvents,
  query: EventQuery,
  count: number,
): Promise<StoredEvent[]> {
  const controller = new AbortController()
  const seen: StoredEvent[] = []
  for await (const event of followEvents(source, query, {
    signal: controller.signal,
    heartbeat: 60_000,
  })) {
    if (event !== undefined) seen.push(event)
    if (seen.length >= count) break
  }
  controller.abort()
  return seen
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('followEvents', () => {
  it('gives each event once and in order, whatever the cut points of a resume and however reads and writes interleave', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }),
        async (before, reads, pauses) => {
          const total = reads.reduce((sum, count) => sum + count, 0)
          const source = scriptedEvents(turn)
          for (let count = 0; count < before; count += 1) source.append()
          const writing = (async () => {
            for (let count = before; count < total; count += 1) {
              for (let pause = pauses[count] ?? 0; pause > 0; pause -= 1) await turn()
              source.append()
            }
          })()
          const seen: number[] = []
          for (const count of reads)
            seen.push(
              ...(await read(source, { after: seen.at(-1) ?? 0 }, count)).map((event) => event.seq),
            )
          await writing
          expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
          expect(source.listeners.size).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keeps a filter while resuming', async () => {
    const source = scriptedEvents(turn)
    const following = read(source, { types: ['mail'], after: 1 }, 2)
    for (const type of ['mail', 'note', 'mail', 'note', 'mail']) {
      source.append({ type })
      await turn()
    }
    expect((await following).map((event) => event.seq)).toEqual([3, 5])
  })

  it('reads a backlog of many pages', async () => {
    const source = scriptedEvents()
    for (let count = 0; count < 1203; count += 1) source.append()
    expect((await read(source, {}, 1203)).at(-1)?.seq).toBe(1203)
  })

  it('begins with the newest events where asked', async () => {
    const source = scriptedEvents(turn)
    for (let count = 0; count < 5; count += 1) source.append()
    const following = read(source, { last: 2 }, 3)
    await turn()
    source.append()
    expect((await following).map((event) => event.seq)).toEqual([4, 5, 6])
  })

  it('begins with new events only where asked', async () => {
    const source = scriptedEvents()
    for (let count = 0; count < 5; count += 1) source.append()
    const following = read(source, { last: 0 }, 1)
    await turn()
    source.append()
    expect((await following).map((event) => event.seq)).toEqual([6])
  })

  it('says that it is alive where nothing happens, and finds events nobody announced', async () => {
    const source = scriptedEvents()
    const silent = { ...source, onEvent: () => () => {} }
    const controller = new AbortController()
    const feed = followEvents(silent, {}, { signal: controller.signal, heartbeat: 5 })
    expect((await feed.next()).value).toBeUndefined()
    source.append()
    expect((await feed.next()).value).toMatchObject({ seq: 1 })
    controller.abort()
    expect((await feed.next()).done).toBe(true)
  })

  it('does not read ahead of a slow reader', async () => {
    const source = scriptedEvents()
    let reads = 0
    const counted = { ...source, list: (query: EventQuery) => ((reads += 1), source.list(query)) }
    const controller = new AbortController()
    const feed = followEvents(counted, {}, { signal: controller.signal, heartbeat: 60_000 })
    for (let count = 0; count < 3; count += 1) source.append()
    await feed.next()
    for (let count = 0; count < 1000; count += 1) source.append()
    expect(reads).toBe(1)
    controller.abort()
    await feed.return(undefined)
  })
})
