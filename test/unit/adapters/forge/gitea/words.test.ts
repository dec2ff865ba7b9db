import { describe, expect, it } from 'vitest'
import type { GiteaClient } from '../../../../../src/adapters/forge/gitea/client.ts'
import type { RawPull } from '../../../../../src/adapters/forge/gitea/pull.ts'
import { createReadWords } from '../../../../../src/adapters/forge/gitea/words.ts'

const at = (seconds: number): number => Date.parse('2026-11-25T12:00:00Z') + seconds * 1000

/** A pull request with one review of two comments; `state.reads`: how often it was read. */
function start() {
  const state = { now: at(0), reads: 0, updated: '2026-11-25T12:00:00Z' }
  const client = {
    async rest() {
      return { status: 200, data: [{ id: 8 }, { id: 7 }], total: null }
    },
    async pages(route: string) {
      if (!route.endsWith('/reviews')) return []
      state.reads += 1
      return [
        { id: 2, comments_count: 0 },
        { id: 1, comments_count: 2 },
      ]
    },
  } as unknown as GiteaClient
  const readWords = createReadWords({ client, clock: () => state.now })
  const read = () =>
    readWords({
      number: 3,
      updated_at: state.updated,
      head: { sha: 'a' },
      state: 'open',
    } as RawPull)
  return { state, read, readWords }
}

describe('what was said on Gitea (20.21)', () => {
  it('stands in the order it was written, whichever it is given in', async () => {
    const { reviews, onLines } = await start().read()
    expect(reviews.map(({ id }) => id)).toEqual([1, 2])
    expect(onLines.get(1)?.map(({ id }) => id)).toEqual([7, 8])
  })

  it('is read anew while a busy server may still show more of that time, where it changed, and once a minute', async () => {
    const { state, read, readWords } = start()
    const readsAt = async (seconds: number): Promise<number> => {
      state.now = at(seconds)
      await read()
      return state.reads
    }
    expect([await readsAt(1), await readsAt(9), await readsAt(10)]).toEqual([1, 2, 2])
    expect([await readsAt(68), await readsAt(69), await readsAt(70)]).toEqual([2, 3, 3])
    state.updated = '2026-11-25T11:59:00Z'
    expect([await readsAt(71), await readsAt(72)]).toEqual([4, 4])
    readWords.forget(3)
    expect(await readsAt(73)).toBe(5)
  })
})
