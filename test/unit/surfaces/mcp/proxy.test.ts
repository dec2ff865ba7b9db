import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kindOf, lineSplitter, writtenIn } from '../../../../src/surfaces/mcp/proxy-protocol.ts'
import { pumpMcp } from '../../../../src/surfaces/mcp/proxy.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

describe('lines', () => {
  it('are whole however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string().map((text) => text.replaceAll('\n', ' '))),
        fc.array(fc.nat(20)),
        (lines, cuts) => {
          const taken: string[] = []
          const take = lineSplitter((line) => taken.push(line))
          let text = lines.map((line) => `${line}\n`).join('')
          for (const cut of cuts) {
            take(text.slice(0, cut))
            text = text.slice(cut)
          }
          take(text)
          expect(taken).toEqual(lines)
        },
      ),
    )
  })

  it('are requests, responses or neither', () => {
    expect(kindOf('{"id":1,"method":"tools/call"}')).toEqual({ kind: 'request', id: 1 })
    expect(kindOf('{"id":"a","result":{}}')).toEqual({ kind: 'response', id: 'a' })
    for (const line of ['', '{', 'null', '[]', '7', '{"method":"x"}', '{"id":null,"error":{}}'])
      expect(kindOf(line)).toEqual({ kind: 'other' })
  })
})

/** The daemon’s end of the stream: real sockets, scripted answers. */
async function daemon(
  path: string,
  serve: (line: string, socket: Socket) => void,
): Promise<{ server: Server; sockets: Socket[]; close(): Promise<void> }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    let head = ''
    const lines = lineSplitter((line) => serve(line, socket))
    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', (chunk) => {
      if (head.includes('\r\n\r\n')) return lines(String(chunk))
      head += String(chunk)
      if (head.includes('\r\n\r\n')) socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { server, sockets, close }
}

function proxy(socket: string, timeout = 5000) {
  const input = new PassThrough()
  let text = ''
  const said: string[] = []
  const done = pumpMcp({
    socket,
    token: 't',
    as: undefined,
    input,
    output: (more) => (text += more),
    report: (message) => said.push(message),
    timeout,
  })
  done.catch(() => {})
  return {
    input,
    done,
    said,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}

const socketPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'p-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 's')
}
const request = (id: number): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params: { text: 'äöü 日本' } })}\n`

describe('the stdio proxy', () => {
  it('answers what a restart cut off, and carries on with what comes next', async () => {
    const path = socketPath()
    const taken: string[] = []
    const first = await daemon(path, (line) => void taken.push(line))
    const { input, done, said, lines } = proxy(path)
    input.write(request(1))
    await waitFor('the request', () => taken.length === 1)
    await first.close()
    await waitFor('the error', () => lines().length === 1)
    expect(lines()[0]).toMatchObject({
      id: 1,
      error: {
        message: expect.stringContaining('went away'),
        data: { code: 'DAEMON_UNAVAILABLE' },
      },
    })
    // Asked while nobody is there: sent when somebody is.
    input.write(request(2))
    const second = await daemon(
      path,
      (line, socket) =>
        void socket.write(
          `${JSON.stringify({ id: JSON.parse(line).id, result: JSON.parse(line).params })}\n`,
        ),
    )
    onTestFinished(() => second.close())
    await waitFor('the answer', () => lines().length === 2)
    expect(lines()[1]).toEqual({ id: 2, result: { text: 'äöü 日本' } })
    expect(said).toEqual(['the daemon went away; connecting again', 'the daemon is back'])
    input.end()
    await done
  })

  it('answers with an error what nobody comes back for, and goes on trying', async () => {
    const path = socketPath()
    const first = await daemon(
      path,
      (line, socket) =>
        void socket.write(`${JSON.stringify({ id: JSON.parse(line).id, result: {} })}\n`),
    )
    const { input, done, lines } = proxy(path, 200)
    input.write(request(1))
    await waitFor('the connection', () => lines().length === 1)
    await first.close()
    input.write(request(3))
    await waitFor('the error', () => lines().length === 2)
    expect(lines()[1]).toMatchObject({ id: 3, error: { data: { code: 'DAEMON_UNAVAILABLE' } } })
    input.end()
    await done
  })

  it.each([
    ['says which answers it has written out', true],
    ['says nothing of one that could not be written', false],
  ])('%s', async (_, writes) => {
    const path = socketPath()
    const taken: string[] = []
    const server = await daemon(path, (line, socket) => {
      taken.push(line)
      if (writtenIn(line) === undefined)
        socket.write(`${JSON.stringify({ id: JSON.parse(line).id, result: {} })}\n`)
    })
    onTestFinished(() => server.close())
    const input = new PassThrough()
    const written: string[] = []
    const output = (text: string, done?: () => void): void => {
      written.push(text)
      if (writes) done?.()
    }
    const done = pumpMcp({
      socket: path,
      token: 't',
      as: undefined,
      input,
      output,
      report: () => {},
      timeout: 5000,
    })
    // Of answers that nothing is taken away by, nobody wants to know; an early notice would settle
    // the protocol's era.
    input.write(`${JSON.stringify({ id: 0, method: 'server/discover' })}\n`)
    for (const id of [1, 2]) input.write(`${JSON.stringify({ id, method: 'tools/call' })}\n`)
    await waitFor('the answers', () => written.length === 3)
    if (writes) await waitFor('the notices', () => taken.length === 5)
    else await new Promise((resolve) => setTimeout(resolve, 50))
    expect(taken.map(writtenIn).filter((id) => id !== undefined)).toEqual(writes ? [1, 2] : [])
    input.end()
    await done
  })

  it('gives up where there never was a daemon, and where it is refused', async () => {
    await expect(proxy(socketPath(), 100).done).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
    })
    const path = socketPath()
    const body = '{"error":"The token belongs to nobody here.","code":"UNAUTHORIZED"}'
    const server = createServer(
      (socket) =>
        void socket.end(`HTTP/1.1 401 No\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    )
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())
    const refused = proxy(path)
    refused.input.write('{"jsonrpc":"2.0","id":7,"method":"initialize"}\n')
    await expect(refused.done).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    // What was asked before is answered with why.
    for (const { id, error } of refused.lines())
      expect([id, error.message]).toEqual([7, 'The token belongs to nobody here.'])
    expect(refused.lines()).toHaveLength(1)
  })
})
