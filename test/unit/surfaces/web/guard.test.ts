import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  refuseOtherOrigin,
  requireKnownHost,
  requireOwnOrigin,
} from '../../../../src/surfaces/web/guard.ts'

const asked = (headers: IncomingHttpHeaders) => ({ headers }) as IncomingMessage
const passes = (check: () => void): boolean => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

describe('the host that is asked', () => {
  it.each([
    ['127.0.0.1:4000', true],
    ['localhost:4000', true],
    ['LOCALHOST', true],
    ['[::1]:4000', true],
    ['page.example.org', true],
    ['evil.example:4000', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example:4000', false],
    ['127.0.0.1@evil.example', false],
    ['10.0.0.1:4000', false],
    ['', false],
  ])('%s: %s', (host, expected) => {
    expect(passes(() => requireKnownHost(asked({ host }), ['Page.example.org']))).toBe(expected)
  })

  it('has to be said', () => {
    expect(passes(() => requireKnownHost(asked({}), []))).toBe(false)
  })
})

describe('the page that asks', () => {
  const host = '127.0.0.1:4000'
  it.each<[IncomingHttpHeaders, boolean, boolean]>([
    // What changes something; what only reads.
    [{ origin: 'http://127.0.0.1:4000' }, true, true],
    [{ origin: 'https://127.0.0.1:4000' }, true, true],
    [{ origin: 'http://127.0.0.1:4000', 'sec-fetch-site': 'same-origin' }, true, true],
    [{}, false, true],
    [{ 'sec-fetch-site': 'none' }, false, true],
    [{ 'sec-fetch-site': 'same-origin' }, false, true],
    [{ 'sec-fetch-site': 'cross-site' }, false, false],
    [{ 'sec-fetch-site': 'same-site' }, false, false],
    [{ origin: 'http://127.0.0.1:4001' }, false, false],
    [{ origin: 'http://localhost:4000' }, false, false],
    [{ origin: 'https://evil.example' }, false, false],
    [{ origin: 'null' }, false, false],
    [{ origin: 'file://127.0.0.1:4000' }, false, false],
    [{ origin: 'http://127.0.0.1:4000', 'sec-fetch-site': 'cross-site' }, false, false],
  ])('%o', (headers, mayChange, mayRead) => {
    const request = asked({ host, ...headers })
    expect(passes(() => requireOwnOrigin(request))).toBe(mayChange)
    expect(passes(() => refuseOtherOrigin(request))).toBe(mayRead)
  })
})
