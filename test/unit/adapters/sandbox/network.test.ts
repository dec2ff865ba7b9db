import { createServer, request, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  isAllowed,
  loopbackPorts,
  parseAllowed,
} from '../../../../src/domain/formats/allowed-hosts.ts'
import { createProxy } from '../../../../src/adapters/sandbox/network/proxy.ts'

const parsed = (...hosts: string[]) => hosts.flatMap((host) => parseAllowed(host) ?? [])

describe('hosts that are let through', () => {
  it.each([
    ['api.example.com', 'api.example.com', 443, true],
    ['api.example.com', 'API.example.com.', 443, true],
    ['api.example.com', 'api.example.com', 80, true],
    ['api.example.com', 'api.example.com', 22, false],
    ['api.example.com:8443', 'api.example.com', 8443, true],
    ['api.example.com:8443', 'api.example.com', 443, false],
    ['api.example.com', 'example.com', 443, false],
    ['api.example.com', 'api.example.com.evil.org', 443, false],
    ['api.example.com', 'xapi.example.com', 443, false],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'badexample.com', 443, false],
    ['[::1]:8080', '::1', 8080, true],
  ])('%s and %s:%i', (pattern, host, port, expected) => {
    expect(isAllowed(parsed(pattern), { host, port })).toBe(expected)
  })

  it('are none where what is written is no host', () => {
    for (const text of ['', '*', 'a b', 'http://a', 'a:0', 'a:70000', 'a:b', '*.', 'a/b', '**.a'])
      expect(parseAllowed(text)).toBeUndefined()
  })

  it('of this machine are ports', () => {
    expect(
      loopbackPorts(parsed('127.0.0.1:1', 'localhost:2', '[::1]:3', '127.0.0.1', 'a.b:4')),
    ).toEqual([1, 2, 3])
  })
})

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const serve = async (server: Server): Promise<number> => {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A server that says what it was asked. */
const web = (): Promise<number> =>
  serve(
    createServer((asked, answer) => {
      let body = ''
      asked.on('data', (chunk) => (body += String(chunk)))
      asked.on('end', () => answer.end(`${asked.method} ${asked.url} ${body}`))
    }),
  )

/** What is sent back for these bytes. */
const exchange = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => (received += String(chunk)))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })

const post = (proxy: number, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: proxy, path, method: 'POST' }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.end('words')
  })

describe('the proxy of a sandbox', () => {
  it('makes tunnels to what is allowed, and says what is not', async () => {
    const target = await web()
    const other = await web()
    const proxy = await serve(
      createProxy({ allowed: parsed(`127.0.0.1:${target}`), upstream: undefined }),
    )
    const ask = (port: number): Promise<string> =>
      exchange(
        proxy,
        `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\nGET /through HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
    const through = await ask(target)
    expect(through).toContain('200 Connection established')
    expect(through).toContain('GET /through')
    const refused = await ask(other)
    expect(refused).toMatch(/^HTTP\/1\.1 403/)
    expect(refused).toContain('[sandbox] allow_hosts')
    expect(refused).not.toContain('GET /through')
    expect(await exchange(proxy, 'CONNECT nonsense HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 403/)
  })

  it('says that an allowed host is not there', async () => {
    const gone = await web()
    await new Promise((resolve) => open.pop()?.close(resolve))
    const proxy = await serve(
      createProxy({ allowed: parsed(`127.0.0.1:${gone}`), upstream: undefined }),
    )
    expect(await exchange(proxy, `CONNECT 127.0.0.1:${gone} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 502/,
    )
    expect(await post(proxy, `http://127.0.0.1:${gone}/`)).toMatchObject({ status: 502 })
  })

  it('passes plain requests on, to allowed hosts alone', async () => {
    const target = await web()
    const other = await web()
    const proxy = await serve(
      createProxy({ allowed: parsed(`127.0.0.1:${target}`), upstream: undefined }),
    )
    expect(await post(proxy, `http://127.0.0.1:${target}/a?b`)).toEqual({
      status: 200,
      text: 'POST /a?b words',
    })
    expect(await post(proxy, `http://127.0.0.1:${other}/a`)).toMatchObject({ status: 403 })
    // Not a proxy’s request: nothing of its own is served.
    expect(await post(proxy, '/a')).toMatchObject({ status: 403 })
  })

  it('goes through the person’s own, with what that asks for', async () => {
    const target = await web()
    const seen: string[] = []
    const person = createServer((asked, answer) => {
      seen.push(`${asked.method} ${asked.url} ${asked.headers['proxy-authorization']}`)
      answer.end('passed')
    })
    person.on('connect', (asked, socket) => {
      seen.push(`CONNECT ${asked.url} ${asked.headers['proxy-authorization']}`)
      socket.end('HTTP/1.1 200 OK\r\n\r\nfrom there')
    })
    const upstream = await serve(person)
    const proxy = await serve(
      createProxy({
        allowed: parsed(`model.test:${target}`, 'model.test'),
        upstream: `http://me:p%40ss@127.0.0.1:${upstream}`,
      }),
    )
    expect(await exchange(proxy, `CONNECT model.test:443 HTTP/1.1\r\n\r\n`)).toContain('from there')
    expect(await post(proxy, 'http://model.test/a')).toEqual({ status: 200, text: 'passed' })
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    expect(seen).toEqual([
      `CONNECT model.test:443 ${authorization}`,
      `POST http://model.test/a ${authorization}`,
    ])
    expect(await post(proxy, 'http://other.test/a')).toMatchObject({ status: 403 })
    expect(seen).toHaveLength(2)
  })
})
