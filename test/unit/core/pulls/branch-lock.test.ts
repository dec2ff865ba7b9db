import { describe, expect, it } from 'vitest'
import { createBranchLock } from '../../../../src/core/pulls/branch-lock.ts'

describe('the lock of a branch', () => {
  it('runs work on one branch one after the other, on others at once, and goes on after a failure', async () => {
    const lock = createBranchLock()
    const order: string[] = []
    let release = (): void => {}
    const first = lock('a', async () => {
      order.push('a1 begins')
      await new Promise<void>((resolve) => (release = resolve))
      order.push('a1 ends')
      throw new Error('failed')
    })
    const second = lock('a', async () => order.push('a2'))
    await lock('b', async () => order.push('b'))
    expect(order).toEqual(['a1 begins', 'b'])
    release()
    await expect(first).rejects.toThrow('failed')
    await second
    expect(order).toEqual(['a1 begins', 'b', 'a1 ends', 'a2'])
  })

  it('says whether anything may have changed: what was in front, and what ended since what was known was read', async () => {
    const lock = createBranchLock()
    const waited = (branch: string, since?: number) =>
      lock(branch, async (hasWaited) => hasWaited, since)
    const gate = Promise.withResolvers<void>()
    const first = lock('a', () => gate.promise)
    const behind = waited('a')
    const since = lock.now()
    gate.resolve()
    await first
    expect(await behind).toBe(true)
    expect(await waited('a')).toBe(false)
    // As by one who reads while the first is under way, and asks once it is over.
    expect([await waited('a', since), await waited('b', since)]).toEqual([true, false])
    expect(await waited('a', lock.now())).toBe(false)
  })
})
