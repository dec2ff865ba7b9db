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
})
