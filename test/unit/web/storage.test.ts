import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKeeper } from '../../../web/src/parts/storage.ts'

const of = (more: Partial<Storage>): (() => Storage) => {
  const kept = new Map<string, string>()
  return () => ({
    length: 0,
    key: () => null,
    clear: () => {},
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    ...more,
  })
}
const blocked = () => {
  throw new DOMException('Access is denied for this document.', 'SecurityError')
}
const full = of({
  setItem: () => {
    throw new DOMException('exceeded the quota', 'QuotaExceededError')
  },
})

describe('what the browser keeps', () => {
  it.each([
    ['keeps it', of({})],
    ['is full', full],
    ['lets nobody at it', blocked],
    ['has none', () => undefined as unknown as Storage],
  ])('is there as long as the page is open, where it %s', (_, storage) => {
    const keeper = createKeeper(storage)
    expect(keeper.get('a')).toBe(null)
    keeper.set('a', '1')
    keeper.set('a', '2')
    expect(keeper.get('a')).toBe('2')
    keeper.remove('a')
    expect(keeper.get('a')).toBe(null)
  })

  it('is what another tab wrote last, once there is room again', () => {
    let isFull = true
    const room = of({})()
    const { setItem } = room
    room.setItem = (key, value) => (isFull ? blocked() : setItem(key, value))
    const keeper = createKeeper(() => room)
    keeper.set('a', '1')
    isFull = false
    keeper.set('a', '2')
    room.setItem('a', 'of another tab')
    expect(keeper.get('a')).toBe('of another tab')
  })

  it('is asked for nowhere else: a browser that keeps nothing throws at each look', () => {
    const top = join(import.meta.dirname, '..', '..', '..', 'web', 'src')
    const looking = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        /\.tsx?$/.test(name) &&
        /(?:local|session)Storage\b(?!`)/.test(readFileSync(join(top, name), 'utf8')),
    )
    expect(looking).toEqual(['parts/storage.ts'])
  })
})
