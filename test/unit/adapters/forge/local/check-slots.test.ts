import { describe, expect, it } from 'vitest'
import { createCheckSlots } from '../../../../../src/adapters/forge/local/check-slots.ts'

/** Takes a place and says so. */
function taker(slots: ReturnType<typeof createCheckSlots>) {
  const given: string[] = []
  const releases = new Map<string, () => void>()
  const take = (name: string, options: Partial<Parameters<typeof slots.take>[0]> = {}): void => {
    void slots.take({ parallel: 2, ...options }).then((release) => {
      given.push(release === null ? `${name}: none` : name)
      if (release !== null) releases.set(name, release)
    })
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { given, take, settle, release: (name: string) => releases.get(name)?.() }
}

describe('places for checks', () => {
  it('are given in the order asked, no more at once than allowed; what goes on with its turn comes first', async () => {
    const { given, take, settle, release } = taker(createCheckSlots())
    for (const name of ['a', 'b', 'c', 'd']) take(name)
    take('probe', { front: true })
    await settle()
    expect(given).toEqual(['a', 'b'])
    release('a')
    release('a')
    await settle()
    expect(given).toEqual(['a', 'b', 'probe'])
    release('b')
    release('probe')
    await settle()
    expect(given).toEqual(['a', 'b', 'probe', 'c', 'd'])
  })

  it('let those behind go first while one is not ready, which has the next place once it is', async () => {
    const slots = createCheckSlots()
    const { given, take, settle, release } = taker(slots)
    let ready = false
    take('landing', { parallel: 1, ready: () => ready })
    take('a', { parallel: 1 })
    take('b', { parallel: 1 })
    await settle()
    expect(given).toEqual(['a'])
    ready = true
    slots.look()
    await settle()
    expect(given).toEqual(['a'])
    release('a')
    await settle()
    expect(given).toEqual(['a', 'landing'])
  })

  it('are left by who gives up waiting, and given to nobody after the end', async () => {
    const slots = createCheckSlots()
    const { given, take, settle, release } = taker(slots)
    const left = new AbortController()
    take('a', { parallel: 1 })
    take('b', { parallel: 1, signal: left.signal })
    take('c', { parallel: 1 })
    left.abort()
    await settle()
    release('a')
    await settle()
    expect(given).toEqual(['a', 'b: none', 'c'])
    take('d', { parallel: 1 })
    slots.close()
    take('e', { parallel: 5 })
    await settle()
    expect(given.slice(3).toSorted()).toEqual(['d: none', 'e: none'])
  })
})
