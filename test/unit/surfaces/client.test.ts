import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createPlainServer, type Socket } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client, type WireEvent } from '../../../src/surfaces/client.ts'
import { parseEventStream } from '../../../src/surfaces/event-stream.ts'

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 's')
}

/** A real HTTP server that answers as given. */
async function serve(listener: RequestListener, as?: string): Promise<Client> {
  const socket = socketPath()
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return createClient({ socket, token: 'secret', as })
}

/** A server that answers with exactly these bytes. */
async function serveBytes(answer: (connection: Socket) => void): Promise<Client> {
  const socket = socketPath()
  const server = createPlainServer((connection) => {
    connection.on('error', () => {})
    connection.once('data', () => answer(connection))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return createClient({ socket, token: 't' })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

describe('the client', () => {
  it('sends input, token and the agent to act for, whatever letters they hold', async () => {
    const seen: unknown[] = []
    const client = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push([
          request.method,
          request.url,
          request.headers.authorization,
          decodeURIComponent(String(request.headers['x-exomonad-as'])),
          JSON.parse(body),
        ])
        response.end('{"ok":"äöü 日本"}')
      })
    }, 'feature/ümlaut 100%')
    expect(await client.callTool('send', { message: '日本 👩‍💻' })).toEqual({ ok: 'äöü 日本' })
    expect(seen).toEqual([
      ['POST', '/v1/tools/send', 'Bearer secret', 'feature/ümlaut 100%', { message: '日本 👩‍💻' }],
    ])
  })

  it('reports how far a call is, where that is asked for, and then returns or throws as otherwise', async () => {
    const client = await serve((request, response) => {
      const isBad = request.url?.endsWith('bad')
      response.setHeader('content-type', 'text/event-stream')
      response.write(': taken\n\n')
      response.write('event: progress\ndata: {"message":"half way"}\n\n')
      response.write('event: progress\ndata: {"message":"","event":{"kind":"ended","id":"a"}}\n\n')
      const error = { error: 'It failed.', code: 'SUBAGENT_FAILED', partial: 'so far' }
      response.end(
        isBad === true
          ? `event: error\ndata: ${JSON.stringify(error)}\n\n`
          : 'event: result\ndata: {"text":"done"}\n\n',
      )
    })
    const reported: unknown[] = []
    const progress = (message: string, event: unknown): void => void reported.push([message, event])
    expect(await client.callTool('good', {}, { progress })).toEqual({ text: 'done' })
    expect(reported).toEqual([
      ['half way', undefined],
      ['', { kind: 'ended', id: 'a' }],
    ])
    await expect(client.callTool('bad', {}, { progress })).rejects.toMatchObject({
      code: 'SUBAGENT_FAILED',
      facts: { partial: 'so far' },
    })
  })

  it('says so where the daemon goes away before a call that it reported on was answered, or refuses it', async () => {
    const client = await serve((request, response) => {
      if (request.url?.endsWith('refused') === true)
        response.writeHead(403).end('{"error":"No.","code":"NOT_ALLOWED"}')
      else response.end(': taken\n\nevent: progress\ndata: {"message":"half way"}\n\n')
    })
    const progress = (): void => {}
    await expect(client.callTool('cut', {}, { progress })).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
    })
    await expect(client.callTool('refused', {}, { progress })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
  })

  it('gives a large answer back whole, chunked or not', async () => {
    const large = { text: 'ü'.repeat(700_000) }
    const text = JSON.stringify(large)
    const chunked = await serve((_request, response) => {
      for (let at = 0; at < text.length; at += 100_001) response.write(text.slice(at, at + 100_001))
      response.end()
    })
    expect(await chunked.get('/v1/tree')).toEqual(large)
    const counted = await serve((_request, response) =>
      response.setHeader('content-length', Buffer.byteLength(text)).end(text),
    )
    expect(await counted.get('/v1/tree')).toEqual(large)
  })

  it('makes the daemon’s errors again, with code and facts', async () => {
    const client = await serve((_request, response) =>
      response
        .writeHead(404)
        .end('{"error":"Agent not found: x","code":"AGENT_NOT_FOUND","found":"x"}'),
    )
    await expect(client.callTool('kill', {})).rejects.toMatchObject({
      name: 'ExomonadError',
      code: 'AGENT_NOT_FOUND',
      message: 'Agent not found: x',
      facts: { found: 'x' },
    })
  })

  it.each([
    ['{"error":"odd","code":"NEWER_CODE"}', 'INTERNAL', { code: 'NEWER_CODE' }],
    ['{"x":1}', 'INTERNAL', {}],
    ['<html>', 'INTERNAL', {}],
  ])('calls an error answer of %s a fault', async (body, code, facts) => {
    const client = await serve((_request, response) => response.writeHead(500).end(body))
    await expect(client.get('/x')).rejects.toMatchObject({ code, facts })
  })

  it('says that nobody listens, and that nothing was sent', async () => {
    const client = createClient({ socket: socketPath(), token: 't' })
    await expect(client.callTool('tree', {})).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
      facts: { connected: false },
    })
  })

  it.each([
    ['before it answers', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['in a counted body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{"a"'],
    ['between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n'],
    ['with what is not HTTP', 'SSH-2.0-x\r\n\r\n'],
  ])('says that the daemon went away %s, and that it was sent', async (_when, bytes) => {
    const client = await serveBytes((connection) => connection.end(bytes))
    await expect(client.get('/x')).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
      facts: { connected: true },
    })
  })

  it('puts an answer together from any pieces', async () => {
    const answer = Buffer.from(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"é"\r\n8\r\n:"日" }\r\n0\r\n\r\n',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(answer.length - 1), { maxLength: 6 }),
        async (cuts) => {
          const places = [0, ...cuts.sort((a, b) => a - b), answer.length]
          const client = await serveBytes((connection) => {
            connection.setNoDelay(true)
            const send = (index: number): void => {
              if (index === places.length - 1) return void connection.end()
              connection.write(answer.subarray(places[index], places[index + 1]), () =>
                setImmediate(send, index + 1),
              )
            }
            send(0)
          })
          expect(await client.get('/x')).toEqual({ é: '日' })
        },
      ),
      { numRuns: 30 },
    )
  })

  it('stops waiting when the signal says so', async () => {
    const controller = new AbortController()
    const client = await serve(() => controller.abort(new Error('enough')))
    await expect(client.callTool('wait', {}, { signal: controller.signal })).rejects.toThrow(
      'enough',
    )
  })

  it('gives up on a daemon that doesn’t begin to answer in the time it was given', async () => {
    const client = await serve(() => {})
    await expect(client.get('/healthz', { timeout: 20 })).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
    })
  })
})

describe('following events', () => {
  const event = (seq: number): string =>
    `id: ${seq}\nevent: note\ndata: ${JSON.stringify({ seq, type: 'note', at: 0, agentId: null, actor: 'human', why: null, payload: {} })}\n\n`

  it('goes on after the last event it gave, through broken connections, without gap or repeat', async () => {
    const asked: (string | undefined)[] = []
    const client = await serve((request, response) => {
      const last = request.headers['last-event-id'] as string | undefined
      asked.push(last)
      const next = Number(last ?? 0) + 1
      response.write(': connected\n\n')
      response.write(event(next))
      // The second event is cut in the middle: it never arrived.
      response.write(event(next + 1).slice(0, 20), () => response.destroy())
    })
    const controller = new AbortController()
    const seen: number[] = []
    for await (const one of client.events({ follow: true, signal: controller.signal })) {
      seen.push(one.seq)
      if (one.seq === 4) controller.abort()
    }
    expect(seen).toEqual([1, 2, 3, 4])
    expect(asked).toEqual([undefined, '1', '2', '3'])
  })

  it('ends with the error where the daemon refuses', async () => {
    const client = await serve((_request, response) =>
      response.writeHead(404).end('{"error":"Agent not found","code":"AGENT_NOT_FOUND"}'),
    )
    await expect(client.events({ follow: true, agent: 'x' }).next()).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
    })
  })

  it('returns what there is, without follow', async () => {
    const urls: string[] = []
    const client = await serve((request, response) => {
      urls.push(request.url ?? '')
      response.end('[{"seq":1,"type":"note"},{"seq":2,"type":"mail"}]')
    })
    const seen: WireEvent[] = []
    for await (const one of client.events({
      follow: false,
      types: ['note', 'mail'],
      since: 5,
      last: 2,
    }))
      seen.push(one)
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2])
    expect(urls).toEqual(['/v1/events?follow=false&since=5&last=2&types=note%2Cmail'])
  })
})

describe('a stream of server-sent events', () => {
  const parse = async (
    ...pieces: Uint8Array[]
  ): Promise<[string | undefined, string, string][]> => {
    const messages: [string | undefined, string, string][] = []
    for await (const { id, event, data } of parseEventStream(source(pieces)))
      messages.push([id, event, data])
    return messages
  }
  async function* source(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* pieces
  }

  it('has comments, names, ids that last, several data lines, and all three line ends', async () => {
    const text =
      ': hello\n\nid: 7\nevent: note\ndata: a\ndata: b\n\ndata:  c\r\n\r\nid: 8\rdata: d\r\r\nevent: lost\n\ndata: cut off'
    expect(await parse(Buffer.from(text))).toEqual([
      ['7', 'note', 'a\nb'],
      ['7', 'message', ' c'],
      ['8', 'message', 'd'],
    ])
  })

  it('reads the same however the bytes are cut', async () => {
    const bytes = Buffer.from('id: 1\ndata: äö日\n\r\nevent: x\r\ndata: 👩‍💻\r\n\r\n: c\ndata: z\n\n')
    const whole = await parse(bytes)
    expect(whole).toHaveLength(3)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        expect(await parse(...pieces)).toEqual(whole)
      }),
    )
  })
})
