import { afterEach, expect, it, vi } from 'vitest'
import { forgetPageKey, openSocket, pageKey, takePageKey } from '../../../web/src/api/page-key.ts'

const at = (hash: string) => {
  const replaceState = vi.fn()
  vi.stubGlobal('location', {
    ...{ hash, pathname: '/inbox', search: '?q=1', origin: 'https://page.example' },
  })
  vi.stubGlobal('history', { state: null, replaceState })
  return replaceState
}
const keeping = (kept: Map<string, string>) =>
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
afterEach(() => {
  forgetPageKey()
  vi.unstubAllGlobals()
})

it('is taken out of the address, kept for other tabs, and forgotten', () => {
  const kept = new Map<string, string>()
  keeping(kept)
  const replaceState = at('#page=abc-_1')
  takePageKey()
  expect(pageKey()).toBe('abc-_1')
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', '/inbox?q=1')
  kept.set('exomonad.page', 'of a newer link')
  expect(pageKey()).toBe('of a newer link')
  forgetPageKey()
  expect([pageKey(), kept.size]).toEqual(['', 0])
})

it('is held where the browser keeps nothing; another fragment is none', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(at('#line-4')).not.toHaveBeenCalled()
  takePageKey()
  expect(pageKey()).toBe('')
  at('#page=abc')
  takePageKey()
  expect(pageKey()).toBe('abc')
})

it('goes with a WebSocket as one of its protocols', () => {
  at('')
  keeping(new Map([['exomonad.page', 'abc']]))
  const opened = vi.fn()
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor(...given: unknown[]) {
        opened(...given)
      }
    },
  )
  openSocket('/v1/events?last=0')
  expect(opened).toHaveBeenCalledExactlyOnceWith('wss://page.example/v1/events?last=0', [
    'exomonad',
    'abc',
  ])
})
