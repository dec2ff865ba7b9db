import { once } from 'node:events'
import createFastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Caller } from '../../../../src/domain/caller.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { installUpgrades, type Upgrade } from '../../../../src/surfaces/http/upgrades.ts'

let fastify: FastifyInstance
afterEach(() => fastify.close())

const echo: Upgrade = {
  path: '/v1/agents/:agent/terminal',
  protocol: 'websocket',
  admit: async ({ params, query }) => {
    if (params['agent'] === 'nobody')
      throw new ExomonadError('AGENT_NOT_FOUND', 'There is no agent "nobody".')
    return (socket) => {
      socket.send(`${String(params['agent'])} ${String(query.get('columns'))}`)
      socket.on('message', (data) => socket.send(data))
    }
  },
}
const raw: Upgrade = {
  path: '/v1/mcp',
  protocol: 'mcp-stdio',
  accept: async (_message, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nraw')
  },
}

async function serve(options: { heartbeat?: number } = {}): Promise<string> {
  fastify = createFastify({ forceCloseConnections: true })
  installUpgrades(fastify, [raw, echo], {
    identify: async ({ headers }) => {
      if (headers.authorization === undefined)
        throw new ExomonadError('UNAUTHORIZED', 'The request carries no token.')
      return { kind: 'human' } as Caller
    },
    log: pino({ enabled: false }),
    ...options,
  })
  const address = await fastify.listen({ port: 0, host: '127.0.0.1' })
  return address.replace('http:', 'ws:')
}
const connect = (url: string, options: { authorization?: string; autoPong?: boolean } = {}) => {
  const { authorization = 'Bearer x', autoPong = true } = options
  return new WebSocket(url, {
    autoPong,
    headers: authorization === '' ? {} : { authorization },
  })
}
const refusal = async (socket: WebSocket): Promise<[number | undefined, string]> => {
  socket.on('error', () => {})
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    AsyncIterable<Buffer> & { statusCode?: number },
  ]
  let body = ''
  for await (const chunk of response) body += chunk.toString()
  return [response.statusCode, (JSON.parse(body) as { error: string }).error]
}

test('a path with a name in it becomes a WebSocket, with the name decoded and the query', async () => {
  const url = await serve()
  const socket = connect(`${url}/v1/agents/fix%2Flogin/terminal?columns=80`)
  const [greeting] = (await once(socket, 'message')) as [Buffer]
  expect(greeting.toString()).toBe('fix/login 80')
  socket.send('keys')
  expect(String((await once(socket, 'message'))[0])).toBe('keys')
})

test.each([
  ['without a token', '/v1/agents/a/terminal', '', 401, /carries no token/],
  ['for nobody', '/v1/agents/nobody/terminal', undefined, 404, /no agent "nobody"/],
  ['of another path', '/v1/agents/a/b/terminal', undefined, 400, /\/v1\/mcp to mcp-stdio/],
  ['without a name', '/v1/agents//terminal', undefined, 400, /to websocket/],
  ['to another protocol', '/v1/mcp', undefined, 400, /to websocket/],
  ['of a name that is not encoded', '/v1/agents/%E0%A4%A/terminal', undefined, 400, /websocket/],
])('an upgrade %s is refused with a reason', async (_what, path, authorization, status, words) => {
  const url = await serve()
  const socket = connect(`${url}${path}`, authorization === undefined ? {} : { authorization })
  expect(await refusal(socket)).toEqual([status, expect.stringMatching(words)])
})

test('an open WebSocket ends with the server', async () => {
  const url = await serve()
  const socket = connect(`${url}/v1/agents/a/terminal`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await fastify.close()
  await closed
})

test('who does not answer a ping is let go', async () => {
  const url = await serve({ heartbeat: 20 })
  const socket = connect(`${url}/v1/agents/a/terminal`, { autoPong: false })
  await once(socket, 'close')
})

test('who answers pings stays', async () => {
  const url = await serve({ heartbeat: 20 })
  const socket = connect(`${url}/v1/agents/a/terminal`)
  for (let pings = 0; pings < 3; pings += 1) await once(socket, 'ping')
  expect(socket.readyState).toBe(WebSocket.OPEN)
})
