import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createClient } from '../../../src/surfaces/client.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Who tries to get at the page without being let in: as other pages, other programs, agents, and
 * those who were shown it only.
 */
let tree: Exomonad
let port = 0
/** Of a page that may do everything, and of one that only reads. */
let cookie = ''
let readOnly = ''
/** All that lets somebody in, as it is made. */
const secrets: string[] = []
/** What else a page has, by its cookie: it goes with that, unless a test says otherwise. */
const pageKeys = new Map<string, string>()
const keyOf = ({ cookie: of = '', 'x-exomonad-page': given }: Readonly<Record<string, string>>) =>
  given ?? pageKeys.get(of) ?? ''

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: any
}

const asked = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ method, path, port, host: '127.0.0.1', agent: false },
        headers: {
          ...{ host: `127.0.0.1:${port}`, 'x-exomonad-page': keyOf(headers) },
          ...headers,
        },
      },
      (incoming) => {
        const parts: Buffer[] = []
        incoming.on('data', (part: Buffer) => parts.push(part))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(parts).toString()
          let json: unknown
          try {
            json = JSON.parse(text)
          } catch {
            // A file.
          }
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const own = (): string => `http://127.0.0.1:${port}`
/** As the page itself asks. */
const call = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  asked(
    'POST',
    path,
    { cookie, origin: own(), 'content-type': 'application/json', ...headers },
    JSON.stringify(body),
  )
const cookieIn = ({ headers }: Answer): string =>
  String(headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''

async function letIn(options: { read_only?: boolean } = {}): Promise<string> {
  const { url } = await tree.call<{ url: string }>('web', options)
  const link = new URL(url)
  port = Number(link.port)
  secrets.push(link.searchParams.get('token') ?? '')
  const answer = await asked('GET', `${link.pathname}${link.search}`)
  const opened = cookieIn(answer)
  const key = String(answer.headers['location']).replace('/#page=', '')
  pageKeys.set(opened, key)
  secrets.push(opened.split('=')[1] ?? '', key)
  return opened
}

/** `open`, or the status that the handshake was refused with. */
const webSocket = (path: string, headers: Readonly<Record<string, string>>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const protocols = ['exomonad', keyOf(headers)].filter((each) => each !== '')
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, {
      headers: { host: `127.0.0.1:${port}`, ...headers },
    })
    socket.on('open', () => {
      socket.close()
      resolve('open')
    })
    socket.on('unexpected-response', (outgoing, { statusCode }) => {
      outgoing.destroy()
      resolve(statusCode)
    })
    socket.on('error', reject)
  })

beforeAll(async () => {
  tree = await startExomonad()
  tree.script('worker', { steps: [] })
  await tree.call('spawn_workers', { specs: [{ name: 'worker', prompt: 'Be there' }] })
  // What happens then happens because of a stranger.
  await waitFor('it to rest', async () => (await tree.agent('worker')).state === 'idle')
  cookie = await letIn()
  readOnly = await letIn({ read_only: true })
})
afterAll(() => tree.stop())

const STRANGE_ORIGINS = (): string[] => [
  'https://evil.example',
  'null',
  `http://127.0.0.1:${port + 1}`,
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}.evil.example`,
  'file://',
]
const ROUTES: readonly (readonly [string, string])[] = [
  ['POST', '/v1/tools/note'],
  ['POST', '/v1/tools/tree'],
  ['POST', '/v1/hooks/stop'],
  ['POST', '/session'],
  ['POST', '/session/resume'],
  ['POST', '/session/close'],
  ['GET', '/v1/tree'],
  ['GET', '/v1/tree/changes'],
  ['GET', '/v1/events'],
  ['GET', '/openapi.json'],
]

describe('a page of another origin, with the cookie', () => {
  it('reads and changes nothing', async () => {
    for (const origin of STRANGE_ORIGINS())
      for (const [method, path] of ROUTES) {
        const answer = await asked(method, path, { cookie, origin, 'content-type': 'text/plain' })
        expect(answer.status, `${method} ${path} from ${origin}`).toBe(403)
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    expect((await call('/session', {})).status).toBe(200)
  })

  it('does not even where its browser says no origin, but where it stands', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const [method, path] of ROUTES)
        expect((await asked(method, path, { cookie, 'sec-fetch-site': site })).status).toBe(403)
  })

  it('posts no form', async () => {
    const form = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    for (const headers of [form, { ...form, origin: 'https://evil.example' }])
      expect((await asked('POST', '/v1/tools/note', headers, '{"text":"x"}')).status).toBe(403)
  })

  it('is allowed nothing by a preflight', async () => {
    const answer = await asked('OPTIONS', '/v1/tools/note', {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(answer.headers)).not.toContain('access-control-allow')
  })

  it('opens no WebSocket', async () => {
    for (const origin of [...STRANGE_ORIGINS(), undefined])
      for (const path of ['/v1/events', '/v1/agents/worker/terminal', '/v1/mcp'])
        expect(
          await webSocket(path, { cookie, ...(origin === undefined ? {} : { origin }) }),
          `${path} from ${origin}`,
        ).toBe(403)
    expect(await webSocket('/v1/events?last=0', { cookie, origin: own() })).toBe('open')
  })
})

describe('what is served on another port of this host', () => {
  it('gets the cookie of every visitor, and with it reads no more than the tree and changes nothing', async () => {
    // An agent’s own server, say. It can claim any origin.
    for (const key of ['', 'x', pageKeys.get(readOnly) ?? '']) {
      const headers = {
        ...{ cookie, origin: own(), 'content-type': 'application/json' },
        'x-exomonad-page': key,
      }
      for (const [method, path] of ROUTES)
        if (!['/v1/tree/changes', '/session/resume', '/session/close'].includes(path))
          expect(
            (await asked(method, path, headers, method === 'POST' ? '{}' : undefined)).status,
          ).toBe(401)
      expect((await asked('GET', '/v1/tree/changes?since=x', headers)).status).toBe(401)
      expect(await asked('POST', '/session/close', headers, '{}')).toMatchObject({ status: 200 })
      for (const path of ['/v1/events?last=0', '/v1/agents/worker/terminal'])
        expect(await webSocket(path, headers), path).toBe(401)
    }
    expect((await call('/session', {})).status).toBe(200)
  })
})

it('a page that knows events of another store is told so, over the WebSocket that it opened', async () => {
  const protocols = ['exomonad', keyOf({ cookie })]
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events?after=999999999`, protocols, {
    headers: { host: `127.0.0.1:${port}`, cookie, origin: own() },
  })
  const [data, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  socket.on('message', (message: Buffer) => data.resolve(message.toString()))
  socket.on('close', () => ended.resolve())
  socket.on('error', data.reject)
  expect(JSON.parse(await data.promise)).toMatchObject({ code: 'INVALID_ARG', field: 'after' })
  await ended.promise
})

describe('the page itself', () => {
  it('has the tree asked for beside its script, where the browser was let in', async () => {
    for (const path of ['/', '/inbox']) {
      const linked = async (headers: Record<string, string>) =>
        (await asked('GET', path, { accept: 'text/html', ...headers })).headers['link']
      expect(await linked({ cookie })).toBe(
        '</v1/tree/changes>; rel=preload; as=fetch; crossorigin',
      )
      expect(await linked({})).toBeUndefined()
      expect(await linked({ cookie: `${cookie}x` })).toBeUndefined()
    }
    const { json } = await asked('GET', '/v1/tree/changes', { cookie })
    expect(json).toMatchObject({ complete: true, counts: { agents: 1 } })
    const later = await asked('GET', `/v1/tree/changes?since=${json.revision}`, { cookie })
    expect(later.json).toMatchObject({ complete: false, removed: [] })
  })
})

describe('a name that leads here (DNS rebinding)', () => {
  it('is answered nothing, not even the page, with whatever origin', async () => {
    const { url } = await tree.call<{ url: string }>('web', {})
    const link = new URL(url)
    for (const host of [
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `10.0.0.1:${port}`,
      `localhost.evil.example`,
      `[::ffff:127.0.0.1]:${port}`,
    ]) {
      for (const origin of [undefined, `http://${host}`, own()])
        for (const [method, path] of [
          ...ROUTES,
          ['GET', '/'],
          ['GET', `${link.pathname}${link.search}`],
        ] as const) {
          const headers = { host, cookie, ...(origin === undefined ? {} : { origin }) }
          expect((await asked(method, path, headers)).status, `${method} ${path} as ${host}`).toBe(
            403,
          )
        }
      expect(await webSocket('/v1/events', { host, cookie, origin: `http://${host}` })).toBe(403)
    }
    // Nor is a link used up by it.
    expect(cookieIn(await asked('GET', `${link.pathname}${link.search}`))).not.toBe('')
  })
})

describe('what was stolen', () => {
  it('a link that was used opens nothing', async () => {
    const { url } = await tree.call<{ url: string }>('web', {})
    const { pathname, search } = new URL(url)
    expect(cookieIn(await asked('GET', `${pathname}${search}`))).not.toBe('')
    const again = await asked('GET', `${pathname}${search}`)
    expect(cookieIn(again)).toBe('')
    expect(again.headers['location']).toBe('/?link=used')
  })

  it('the token of an agent, or of nobody, opens neither page nor API here', async () => {
    const { id } = await tree.agent('worker')
    const token = readFileSync(join(tree.state, 'auth', id), 'utf8').trim()
    const authorization = `Bearer ${token}`
    const headers = { authorization, origin: own(), 'content-type': 'application/json' }
    for (const [method, path] of ROUTES.filter(([, path]) => path !== '/session/close'))
      expect(
        (await asked(method, path, headers, method === 'GET' ? undefined : '{"resume":"x"}'))
          .status,
        path,
      ).toBe(401)
    expect(await webSocket('/v1/events', { authorization, origin: own() })).toBe(401)
    expect(cookieIn(await asked('GET', `/open?token=${token}`))).toBe('')
    const [name = ''] = cookie.split('=')
    expect((await call('/session', {}, { cookie: `${name}=${token}` })).status).toBe(401)
    const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
    await expect(createClient({ socket, token }).callTool('web', {})).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    const asAgent = await tree.run(['web', '--no-open', '--json'], {
      env: { EXOMONAD_AGENT_ID: id, EXOMONAD_TOKEN: token },
    })
    expect(asAgent).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
  })
})

describe('a page that was opened to be looked at', () => {
  const as = (path: string, body: unknown) => call(path, body, { cookie: readOnly })

  it('has no tool that changes anything', async () => {
    const before = (await tree.events()).length
    for (const { name, effect } of ALL_TOOLS) {
      if (typeof effect === 'function') continue
      const { status, json } = await as(`/v1/tools/${name}`, {})
      if (effect === 'reads') expect(json?.read_only, name).toBeUndefined()
      else expect({ name, status, read: json.read_only }).toEqual({ name, status: 403, read: true })
    }
    expect((await tree.events()).length).toBe(before)
  })

  it.each([
    ['inbox', { clear: true }, {}],
    ['check_mail', {}, { peek: true }],
    ['pr_checks', { pr_number: 1, rerun: true }, { pr_number: 1 }],
  ])('has of %s what reads', async (tool, changing, reading) => {
    expect(await as(`/v1/tools/${tool}`, changing)).toMatchObject({
      status: 403,
      json: { read_only: true },
    })
    expect((await as(`/v1/tools/${tool}`, reading)).json.read_only).toBeUndefined()
  })

  it('is named above with each tool of which only a part reads', () => {
    const named = ['inbox', 'check_mail', 'pr_checks']
    const found = ALL_TOOLS.filter(({ effect }) => typeof effect === 'function')
    expect(found.map(({ name }) => name as string).toSorted()).toEqual(named.toSorted())
  })

  it('posts to no other route, for itself or an agent', async () => {
    const { paths } = (await asked('GET', '/openapi.json', { cookie: readOnly })).json
    const posts = Object.entries<Record<string, unknown>>(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path] as const))
      .filter(([method, path]) => method !== 'get' && !path.startsWith('/v1/tools/'))
      .map(([method, path]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'stop')] as const)
    expect(posts.length).toBeGreaterThan(0)
    for (const [method, path] of [...posts, ['POST', '/v1/hooks/anything']] as const)
      for (const acting of [{}, { 'x-exomonad-as': 'worker' }])
        expect(
          await asked(
            method,
            path,
            { cookie: readOnly, origin: own(), 'content-type': 'application/json', ...acting },
            '{}',
          ),
          path,
        ).toMatchObject({ status: 403 })
  })

  it('makes no link that may more', async () => {
    expect(await as('/v1/tools/web', { read_only: false })).toMatchObject({ status: 403 })
  })

  it('reads the tree and the events', async () => {
    expect((await as('/v1/tools/tree', {})).status).toBe(200)
    expect(await webSocket('/v1/events?last=0', { cookie: readOnly, origin: own() })).toBe('open')
  })
})

describe('too much', () => {
  it('is refused, and the daemon goes on', async () => {
    const large = await call('/v1/tools/note', { text: 'x'.repeat(11 * 1024 * 1024) }).catch(
      // The rest of it is not waited for.
      () => ({ status: 400 }),
    )
    expect(large.status).toBe(400)
    expect((await asked('GET', '/', { cookie: 'x'.repeat(70_000) })).status).toBe(400)
    expect((await call('/v1/tools/tree', { deep: '['.repeat(100_000) })).status).toBe(400)
    const half = Array.from({ length: 400 }, () => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      socket.write(
        'POST /v1/tools/tree HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000000\r\n\r\n{',
      )
      return socket
    })
    const { counts } = await tree.tree()
    for (const socket of half) socket.destroy()
    expect(counts.agents).toBe(1)
    await waitFor('the page', async () => (await call('/session', {})).status === 200)
  })
})

describe('a restart of the daemon', () => {
  it('lets in by the key of the page that was open, and by no cookie of before', async () => {
    const { resume, read_only: reads } = (await call('/session', {}, { cookie: readOnly })).json
    expect(reads).toBe(true)
    secrets.push(resume)
    const before = port
    await tree.crash()
    await tree.call('tree', {})
    expect(port).toBe(before)
    const opened = async (value: string) =>
      (await call('/session', {}, { cookie: value }).catch(() => undefined))?.status
    await waitFor('the page', async () => (await opened('')) === 401)
    expect(await opened(cookie)).toBe(401)
    expect(await opened(readOnly)).toBe(401)
    expect(await webSocket('/v1/events', { cookie, origin: own() })).toBe(401)

    const lost = await call('/session/resume', { resume }, { cookie: '' })
    expect(lost.status).toBe(200)
    // It was killed before the page had the answer.
    await tree.crash()
    await tree.call('tree', {})
    await waitFor('the page', async () => (await opened('')) === 401)
    // The page has its key still.
    const key = pageKeys.get(readOnly) ?? ''
    pageKeys.set(cookieIn(lost), key)
    expect(await opened(cookieIn(lost))).toBe(401)
    const again = cookieIn(await call('/session/resume', { resume }, { cookie: '' }))
    expect(await opened(again)).toBe(401)
    pageKeys.set(again, key)
    const { json } = await call('/session', {}, { cookie: again })
    expect(json.read_only).toBe(true)
    secrets.push(again.split('=')[1] ?? '', json.resume)
    expect((await call('/session/resume', { resume }, { cookie: '' })).status).toBe(401)
  })
})

describe('secrets', () => {
  it('stand in no file that the daemon writes', () => {
    expect(secrets.length).toBeGreaterThan(6)
    // It runs: what it is done with may go while this is read.
    const ifThere = <T>(read: () => T, otherwise: T): T => {
      try {
        return read()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
        throw error
      }
    }
    const textOf = (file: string) => ifThere(() => readFileSync(file, 'latin1'), '')
    const files = (folder: string): string[] =>
      ifThere(() => readdirSync(folder), []).flatMap((name) => {
        const path = join(folder, name)
        const found = statSync(path, { throwIfNoEntry: false })
        if (found?.isDirectory() === true) return files(path)
        return found?.isFile() === true ? [path] : []
      })
    const folders = [tree.state, tree.repository.env['XDG_STATE_HOME'] ?? '']
    for (const file of folders.flatMap(files)) {
      const text = textOf(file)
      for (const secret of secrets) expect(text.includes(secret), file).toBe(false)
    }
  })
})
