import { describe, expect, it } from 'vitest'
import { createMarkSigner } from '../../../../src/adapters/forge/mark-key.ts'
import type { ReviewMark } from '../../../../src/adapters/forge/review-mark.ts'
import { memorySnapshots } from '../../../fixtures/memory-snapshots.ts'

describe('marks of verdicts are signed (20.12)', () => {
  const verdict: ReviewMark = { author: 'human', state: 'approved' }
  const at = { number: 7, commit: 'a'.repeat(40) }

  it('for one pull request, one commit, one author and one verdict', async () => {
    const { sum, isSigned } = await createMarkSigner({ snapshots: memorySnapshots() })()
    const signed = { ...verdict, sum: sum(verdict, at) }
    expect(signed.sum).toMatch(/^[\da-f]{64}$/)
    expect(isSigned(signed, at)).toBe(true)
    expect(isSigned(signed, { ...at, number: 8 })).toBe(false)
    expect(isSigned(signed, { ...at, commit: 'b'.repeat(40) })).toBe(false)
    expect(isSigned({ ...signed, author: 'forge:ann' }, at)).toBe(false)
    expect(isSigned({ ...signed, state: 'changes_requested' }, at)).toBe(false)
    for (const none of ['', 'x', signed.sum.slice(2), `${signed.sum}00`])
      expect(isSigned({ ...verdict, sum: none }, at)).toBe(false)
    expect(isSigned(verdict, at)).toBe(false)
  })

  it('whatever the commit where nothing is decided: answers to conversations are on the commit that began them', async () => {
    const { sum, isSigned } = await createMarkSigner({ snapshots: memorySnapshots() })()
    const comment: ReviewMark = { author: 'human', state: 'commented' }
    expect(isSigned({ ...comment, sum: sum(comment, { number: 7, commit: null }) }, at)).toBe(true)
  })

  it('with one key for each store, kept across restarts and made once', async () => {
    const snapshots = memorySnapshots()
    const signer = createMarkSigner({ snapshots })
    const [one, two] = await Promise.all([signer(), signer()])
    const after = await createMarkSigner({ snapshots })()
    const other = await createMarkSigner({ snapshots: memorySnapshots() })()
    expect(two.sum(verdict, at)).toBe(one.sum(verdict, at))
    expect(after.sum(verdict, at)).toBe(one.sum(verdict, at))
    expect(other.sum(verdict, at)).not.toBe(one.sum(verdict, at))
  })

  it('once the store can be read again, where it could not', async () => {
    const snapshots = memorySnapshots()
    let fails = true
    const signer = createMarkSigner({
      snapshots: {
        ...snapshots,
        get: (key) => (fails ? Promise.reject(new Error('busy')) : snapshots.get(key)),
      },
    })
    await expect(signer()).rejects.toThrow('busy')
    fails = false
    expect((await signer()).sum(verdict, at)).toMatch(/^[\da-f]{64}$/)
  })
})
