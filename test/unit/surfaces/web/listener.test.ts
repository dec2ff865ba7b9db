import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import createFastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../../../src/runtime/log.ts'
import { listen, type Listener } from '../../../../src/surfaces/web/listener.ts'
import { createSessions, LINK_LIFE } from '../../../../src/surfaces/web/sessions.ts'

/** The listener alone: raw requests, as no browser would send them. */
const folder = mkdtempSync(join(tmpdir(), 'page-'))
const files = join(folder, 'page')
let now = Date.now()
const sessions = createSessions({ clock: () => now, before: [], changed: () => {} })
const api = createFastify()
let listener: Listener | undefined
let hosts: string[] = []

beforeAll(async () => {
  mkdirSync(join(files, 'assets'), { recursive: true })
  writeFileSync(join(files, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(files, 'assets', 'a-1.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'SECRET')
  symlinkSync(join(folder, 'secret.txt'), join(files, 'assets', 'link.txt'))
  api.get('/v1/things', () => ({ things: [] }))
  await api.ready()
  listener = await listen(
    {
      ...{ sessions, api, files, hosts: () => hosts, kept: () => Promise.resolve() },
      log: silentLog(),
    },
    [0],
  )
})
afterAll(async () => {
  await listener?.close()
  await api.close()
  rmSync(folder, { recursive: true })
})

/** All that is answered, until the other side ends it. */
const sent = (...parts: readonly (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: listener?.port ?? 0, host: '127.0.0.1' })
    const answer: Buffer[] = []
    socket.on('data', (data) => answer.push(data))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    )
    socket.on('close', () => resolve(Buffer.concat(answer).toString('latin1')))
    for (const part of parts) socket.write(part)
  })
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const all = { host: '127.0.0.1:4000', connection: 'close', accept: 'text/html', ...headers }
  return sent(
    `GET ${path} HTTP/1.1\r\n${Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  )
}
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
const cookieOf = (answer: string): string => /^set-cookie: ([^\r]*)/im.exec(answer)?.[1] ?? ''

const REQUIRED = [
  /^content-security-policy: default-src 'none'; script-src 'self';.*frame-ancestors 'none'/im,
  /^content-security-policy:.*require-trusted-types-for 'script'/im,
  /^x-content-type-options: nosniff\r$/im,
  /^x-frame-options: DENY\r$/im,
  /^referrer-policy: no-referrer\r$/im,
  /^cross-origin-resource-policy: same-origin\r$/im,
  /^cross-origin-opener-policy: same-origin\r$/im,
]

describe('files of the page', () => {
  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/assets/%252e%252e%252f%252e%252e%252fsecret.txt',
    '/..\\secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/a-1.js%00',
    '/assets/%00/../../secret.txt',
    '//secret.txt',
    '/assets//../../secret.txt',
    '/assets/./../../secret.txt',
    '/.%2e/secret.txt',
    '/assets/%c0%ae%c0%ae/secret.txt',
    '/assets/....//....//secret.txt',
    'file:///etc/passwd',
    `http://127.0.0.1:4000/../secret.txt`,
    '/%',
    '/assets/%zz',
  ])('none outside of its folder: %s', async (path) => {
    const answer = await get(path)
    expect(answer).toMatch(/^HTTP\/1\.1 \d/)
    expect(answer).not.toContain('SECRET')
    expect(answer).not.toContain('root:')
    for (const header of REQUIRED) expect(answer).toMatch(header)
  })

  it('a link that leads out of the folder is not followed', async () => {
    expect(await get('/assets/link.txt')).not.toContain('SECRET')
  })

  it('names that change with what is in them are kept for good; the page is asked for again', async () => {
    expect(await get('/assets/a-1.js')).toMatch(/^cache-control: .*immutable\r$/im)
    expect(await get('/')).toMatch(/^cache-control: no-cache\r$/im)
    expect(await get('/agents/main.a')).toMatch(/^cache-control: no-cache\r$/im)
    expect(statusOf(await get('/assets/gone-2.js'))).toBe(404)
  })
})

describe('an address that no view has', () => {
  it.each(['/nothing', '/agents/%E0%A4%A', '/%', '//evil', '/agents/%00', '/agents/%2e%2e/x?a=%'])(
    'is the page, which says so: %s',
    async (path) => {
      const answer = await get(path)
      expect(statusOf(answer)).toBe(200)
      expect(answer).toMatch(/^content-type: text\/html/im)
      expect(answer).toContain('<title>page</title>')
      // Whoever is not a browser that shows it is told in its own words.
      expect(await get(path, { accept: '*/*' })).toMatch(/^content-type: application\/json/im)
      expect(await get(path, { host: 'evil.example' })).not.toContain('<title>')
    },
  )

  it('is none of the API, of the files, or of what lets a browser in', async () => {
    for (const path of ['/v1/%', '/assets/%', '/assets/gone.js', '/open/%', '/openapi.json?x=%'])
      expect(await get(path), path).not.toContain('<title>')
  })
})

describe('what is kept where', () => {
  it('answers of the API in no cache, and a link for who opens it, and not for who asks about it', async () => {
    const { token } = sessions.link({ readOnly: false })
    const head = await sent(
      `HEAD /open?token=${token} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`,
    )
    expect(cookieOf(head)).toBe('')
    const opened = await get(`/open?token=${token}`)
    const cookie = cookieOf(opened)
    // By no clock: the browser may be on a machine with another.
    expect(cookie).toMatch(/; Max-Age=4\d{4};/)
    expect(cookie).not.toMatch(/expires/i)
    const headers = {
      cookie: cookie.split(';')[0] ?? '',
      'x-exomonad-page': /#page=(\S+)/.exec(opened)?.[1] ?? '',
    }
    const answer = await get('/v1/things', headers)
    expect(statusOf(answer)).toBe(200)
    expect(statusOf(await get('/v1/things', { cookie: headers.cookie }))).toBe(401)
    expect(answer).toMatch(/^cache-control: no-store\r$/im)
    // Which page it is, by what names its files: one that is open may be of another version.
    const body = '{}'
    const session = await sent(
      `POST /session HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\ncookie: ${headers.cookie}\r\nx-exomonad-page: ${headers['x-exomonad-page']}\r\n\r\n${body}`,
    )
    const page = readFileSync(join(files, 'index.html'))
    expect(session).toContain(`"build":"${createHash('sha256').update(page).digest('base64url')}"`)
  })
})

describe('headers that keep others out', () => {
  it.each([
    ['a view', '/inbox', {}],
    ['a file', '/assets/a-1.js', {}],
    ['what is not there', '/assets/none', {}],
    ['the API without a session', '/v1/things', {}],
    ['a link that is none', '/open?token=x', {}],
    ['another host', '/', { host: 'evil.example' }],
    ['another page', '/v1/things', { origin: 'http://evil.example' }],
    ['a WebSocket from nowhere', '/v1/events', { connection: 'upgrade', upgrade: 'websocket' }],
    ['a header that is too large', '/', { 'x-large': 'x'.repeat(20_000) }],
    ['a broken address', '/%', {}],
  ])('are on the answer to %s', async (_what, path, headers) => {
    const answer = await get(path, headers as Record<string, string>)
    expect(answer).toMatch(/^HTTP\/1\.1 \d/)
    for (const header of REQUIRED) expect(answer).toMatch(header)
  })

  it('are on that to what is no HTTP', async () => {
    const answer = await sent('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nno header\r\n\r\n')
    expect(statusOf(answer)).toBe(400)
    for (const header of REQUIRED) expect(answer).toMatch(header)
  })
})

describe('a link', () => {
  it('becomes a cookie that scripts, other sites and plain names do not get', async () => {
    const { token } = sessions.link({ readOnly: false })
    const answer = await get(`/open?token=${token}`)
    expect(statusOf(answer)).toBe(303)
    expect(answer).toMatch(/^location: \/#page=[\w-]{43}\r$/im)
    expect(answer).toMatch(/^cache-control: no-store\r$/im)
    const cookie = cookieOf(answer)
    expect(cookie).toMatch(/^exomonad_\d+=[\w-]{43};/)
    expect(cookie).toMatch(/; HttpOnly/i)
    expect(cookie).toMatch(/; SameSite=Strict/i)
    expect(cookie).toMatch(/; Path=\//i)
    expect(cookie).not.toMatch(/domain|secure/i)
    const again = await get(`/open?token=${token}`)
    expect(again).toMatch(/^location: \/\?link=used\r$/im)
    expect(cookieOf(again)).toBe('')
  })

  it('opens nothing a minute later', async () => {
    const { token } = sessions.link({ readOnly: false })
    now += LINK_LIFE
    const answer = await get(`/open?token=${token}`)
    expect(answer).toMatch(/^location: \/\?link=used\r$/im)
    expect(cookieOf(answer)).toBe('')
  })

  it('behind a proxy with TLS, becomes a cookie for TLS alone', async () => {
    hosts = ['page.example.org']
    const { token } = sessions.link({ readOnly: false })
    const answer = await get(`/open?token=${token}`, {
      host: 'page.example.org',
      'x-forwarded-proto': 'https',
    })
    expect(cookieOf(answer)).toMatch(/; Secure/i)
    hosts = []
  })
})

describe('who has no link', () => {
  it('is let go after an answer, whatever is sent and never read', async () => {
    const upgrade = `GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
    // The other side never ends the connection by itself.
    expect(statusOf(await sent(upgrade))).toBe(403)
    expect(statusOf(await sent(upgrade, Buffer.alloc(1_000_000)))).toBe(403)
  })

  it('can’t take all that the daemon may have open', async () => {
    const sockets = Array.from({ length: 300 }, () => {
      const socket = connect({ port: listener?.port ?? 0, host: '127.0.0.1' })
      socket.on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nhost: 127')
      return socket
    })
    await new Promise<void>((resolve) => {
      let closed = 0
      for (const socket of sockets) socket.on('close', () => ++closed === 44 && resolve())
    })
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(200)
    for (const socket of sockets) socket.destroy()
  })
})
