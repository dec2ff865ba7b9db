import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isPassing } from '../../../web/src/api/errors.ts'

/** The daemon as the page’s `fetch` finds it: what it was asked, and what it answers. */
const asked: { path: string; key: string | null; body: unknown }[] = []
let answers: (() => Promise<Response>)[] = []
const ok = (result: unknown) => () => Promise.resolve(Response.json(result))
const refused = (code: string) => () =>
  Promise.resolve(Response.json({ error: code, code }, { status: 409 }))
const away = () => Promise.reject(new TypeError('Failed to fetch'))
/** It was killed while it answered. */
const cutOff = () =>
  Promise.resolve(
    new Response(
      new ReadableStream({
        start: (stream) => {
          stream.enqueue(new TextEncoder().encode('{"status":'))
          stream.error(new TypeError('network error'))
        },
      }),
    ),
  )

let stored = new Map<string, string>()
/** As the page is after a reload: nothing but what the tab keeps. */
async function loaded() {
  vi.resetModules()
  return (await import('../../../web/src/api/call-once.ts')).callOnce
}

beforeEach(() => {
  asked.length = 0
  stored = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    asked.push({
      path,
      key: headers.get('idempotency-key'),
      body: JSON.parse(String(init.body)),
    })
    return (answers.shift() ?? away)()
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a call that changes something', () => {
  const hello = { to: 'one', message: 'hello' }
  const keys = () => asked.map(({ key }) => key)

  it('is one call for as long as it is under way, however often it is pressed', async () => {
    const call = await loaded()
    answers = [ok({ status: 'sent' })]
    const both = await Promise.all([call('send', hello), call('send', hello)])
    expect(both).toEqual([{ status: 'sent' }, { status: 'sent' }])
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['was never given', away],
    ['was cut off', cutOff],
  ])('goes under the same key where its answer %s, after a reload too', async (_, lost) => {
    answers = [lost, lost, ok({ status: 'sent' }), ok({ status: 'sent' })]
    const first = await loaded()
    await expect(first('send', hello)).rejects.toMatchObject({ code: 'DAEMON_UNAVAILABLE' })
    await expect(first('send', hello)).rejects.toMatchObject({ code: 'DAEMON_UNAVAILABLE' })
    const second = await loaded()
    await second('send', hello)
    expect(new Set(keys()).size).toBe(1)
    // Answered, it is meant anew.
    await second('send', hello)
    expect(new Set(keys()).size).toBe(2)
    expect(stored.size).toBe(0)
  })

  it('goes under the same key where it failed: some of it may have been done', async () => {
    const call = await loaded()
    answers = [refused('FORGE_UNAVAILABLE'), ok({ status: 'sent' })]
    await expect(call('send', hello)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    await call('send', hello)
    expect(new Set(keys()).size).toBe(1)
    expect(stored.size).toBe(0)
  })

  it('is another where it says something else, or is meant much later', async () => {
    vi.useFakeTimers({ now: 1_000_000 })
    const call = await loaded()
    answers = [away, away, away]
    await expect(call('send', hello)).rejects.toThrow('does not answer')
    await expect(call('send', { ...hello, message: 'hello?' })).rejects.toThrow('does not answer')
    vi.setSystemTime(1_000_000 + 11 * 60_000)
    await expect(call('send', hello)).rejects.toThrow('does not answer')
    expect(new Set(keys()).size).toBe(3)
  })

  it('is still made where nothing can be kept', async () => {
    vi.stubGlobal('sessionStorage', {
      getItem: () => null,
      setItem: () => {
        throw new Error('QuotaExceededError')
      },
      removeItem: () => {},
    })
    const call = await loaded()
    answers = [away, ok({ status: 'sent' })]
    await expect(call('send', hello)).rejects.toThrow('does not answer')
    await call('send', hello)
    expect(new Set(keys()).size).toBe(1)
  })
})

describe('an answer', () => {
  it('that is no answer of the daemon’s is no result', async () => {
    const { request } = await import('../../../web/src/api/request.ts')
    answers = [() => Promise.resolve(new Response('<html>proxy</html>'))]
    await expect(request('/v1/tree', { body: {} })).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  it('that failed in passing is asked for again, and a refusal is not', async () => {
    const { ApiError } = await import('../../../web/src/api/errors.ts')
    const { isPassing: passes } = await import('../../../web/src/api/errors.ts')
    expect(passes(new ApiError('DAEMON_UNAVAILABLE', ''))).toBe(true)
    expect(passes(new ApiError('UNAUTHORIZED', ''))).toBe(true)
    expect(passes(new ApiError('NOT_ALLOWED', ''))).toBe(false)
    expect(isPassing(null)).toBe(false)
  })
})
