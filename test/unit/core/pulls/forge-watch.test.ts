import { describe, expect, it } from 'vitest'
import { createForgeWatch } from '../../../../src/core/pulls/forge-watch.ts'
import {
  HEALTH_KEY,
  type ForgeAway,
  type ForgeHealth,
} from '../../../../src/core/pulls/forge-health.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import type { BranchName } from '../../../../src/domain/ids.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

const BRANCH = 'main.auth' as BranchName
const health: ForgeHealth = {
  forge: 'github',
  since: 5,
  code: 'FORGE_UNAVAILABLE',
  reason: 'no route',
  retryAt: null,
}

/** A watch whose forge does that when it is asked. */
function watched(
  find: () => Promise<number[]>,
  {
    kind = 'github',
    known,
    stored,
  }: { kind?: string; known?: ForgeAway; stored?: ForgeHealth } = {},
) {
  let asked = 0
  const deps = {
    forge: {
      kind,
      find: () => {
        asked++
        return find()
      },
    },
    polling: { away: () => known },
    store: {
      snapshots: { get: async (key: string) => (key === HEALTH_KEY ? stored : undefined) },
    },
    clock: () => 7,
  }
  const watch = createForgeWatch(deps as unknown as Parameters<typeof createForgeWatch>[0], {
    slow: 5,
    answer: 20,
  })
  return { ...watch, asked: () => asked }
}
const hangs = () => new Promise<number[]>(() => {})
const fails = (facts: Record<string, unknown> = {}) =>
  Promise.reject(new ExomonadError('FORGE_UNAVAILABLE', 'it refuses the connection', facts))

describe('whether the forge can be asked (20.13)', () => {
  it('is known from the poller, or from what was reported before a restart; nothing is asked for that', async () => {
    const known = { since: 3, reason: 'no answer' }
    expect(await watched(hangs, { known }).away()).toEqual(known)
    expect(await watched(hangs, { stored: health }).away()).toEqual({
      since: 5,
      reason: 'no route',
    })
    for (const stored of [
      { ...health, forge: 'local' as const },
      { ...health, retryAt: 9 },
    ])
      expect(await watched(hangs, { stored }).away()).toBeUndefined()
    const local = watched(hangs, { kind: 'local', known, stored: health })
    expect(await local.away()).toBeUndefined()
    expect(local.asked()).toBe(0)
  })

  it.each([
    ['does not answer', hangs, 'it did not answer within 0.02 s'],
    ['fails', fails, 'it refuses the connection'],
  ])('is found out beside slow work: one that %s', async (_, find, reason) => {
    expect(await watched(find).silence(BRANCH, new AbortController().signal)).toEqual({
      since: 7,
      reason,
    })
  })

  it.each([
    ['answers', async () => []],
    ['says until when a limit is used up', () => fails({ retry_at: 1 })],
  ])('holds on to slow work while it %s, and ends with it', async (_, find) => {
    const over = new AbortController()
    let silent = false
    const { silence, asked } = watched(find)
    void silence(BRANCH, over.signal).then(() => (silent = true))
    await waitFor('three questions', () => asked() >= 3)
    over.abort()
    const before = asked()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([asked() - before, silent]).toEqual([0, false])
  })
})
