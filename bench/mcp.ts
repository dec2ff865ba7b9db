import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent as Connections, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { BIN } from '../test/helpers/programs.ts'
import { median, sample, type Figure } from './figures.ts'
import { benchTree } from './tree.ts'

const ROUNDS = 200
const LIST = { method: 'tools/list', params: {} }
const CALL = { method: 'tools/call', params: { name: 'check_mail', arguments: { peek: true } } }

/** Sends one request and resolves with the answer’s text. */
type Ask = (message: object) => Promise<string>

/**
 * MCP round trips with bare clients, so that the server is measured; the floors are servers that
 * answer at once.
 */
export async function measureMcp(): Promise<Figure[]> {
  const tree = await benchTree()
  const children: ChildProcess[] = []
  const sockets = new Connections({ keepAlive: true, maxSockets: 1 })
  const server = createServer((incoming, answer) => {
    incoming.resume()
    incoming.on('end', () =>
      answer
        .setHeader('content-type', 'application/json')
        .end('{"jsonrpc":"2.0","id":1,"result":{}}'),
    )
  })
  try {
    const { spawned } = await tree.client.call('spawn_workers', {
      specs: [{ name: 'client', prompt: 'Nothing to do.', agent: 'idle' }],
    })
    const auth = join(tree.exomonad.state, 'auth')
    const token = readFileSync(
      join(
        auth,
        readdirSync(auth).find((name) => name.startsWith(spawned[0]?.agent_id ?? '?')) ?? '',
      ),
      'utf8',
    ).trim()
    const { mcp } = await tree.client.get<{ mcp: string }>('/healthz')
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const program = (args: readonly string[]): Ask => {
      const child = spawn(process.execPath, args, {
        cwd: tree.exomonad.repository.path,
        env: {
          ...tree.exomonad.repository.env,
          EXOMONAD_SOCKET: tree.socket,
          EXOMONAD_TOKEN: token,
        },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      children.push(child)
      return overStdio(child)
    }
    const ways = [
      {
        name: 'HTTP',
        ask: overHttp(mcp, token, sockets),
        floor: overHttp(
          `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
          token,
          sockets,
        ),
      },
      { name: 'stdio', ask: program([BIN, 'mcp']), floor: program(['-e', ECHO]) },
    ]
    const figures: Figure[] = []
    for (const { name, ask, floor } of ways) {
      for (const each of [ask, floor]) {
        await each({
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'bench', version: '1' },
          },
        })
        await sample(20, () => each(LIST))
      }
      for (const [what, message, needs] of [
        ['tools/list', LIST, '"file_pr"'],
        ['tools/call', CALL, '"messages"'],
      ] as const) {
        const values: number[] = []
        const floors: number[] = []
        for (let round = 0; round < ROUNDS; round += 1) {
          values.push(
            ...(await sample(1, async () => {
              const answer = await ask(message)
              if (!answer.includes(needs))
                throw new Error(`${what} over ${name} answered ${answer.slice(0, 500)}`)
            })),
          )
          floors.push(...(await sample(1, () => floor(message))))
        }
        figures.push({
          name: `MCP ${what} over ${name}, p50`,
          unit: 'ms',
          value: median(values),
          floorName:
            name === 'HTTP'
              ? 'the same request to a server that answers at once'
              : 'the same line to a node that answers at once',
          floor: median(floors),
          target: null,
          samples: ROUNDS,
        })
      }
    }
    return figures
  } finally {
    for (const child of children) child.kill('SIGKILL')
    sockets.destroy()
    server.close()
    await tree.exomonad.stop()
  }
}

/** Answers every line with the least that JSON-RPC allows. */
const ECHO = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n')
})`

function overHttp(url: string, token: string, agent: Connections): Ask {
  let id = 0
  return (message) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const outgoing = request(url, { method: 'POST', agent, headers })
      outgoing.on('error', reject).on('response', (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve(text)).on('error', reject)
      })
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: ++id, ...message }))
    })
}

function overStdio({ stdin, stdout }: ChildProcess): Ask {
  if (stdin === null || stdout === null) throw new Error('a program without pipes')
  let id = 0
  const waiting = new Map<number, (line: string) => void>()
  createInterface({ input: stdout }).on('line', (line) => waiting.get(JSON.parse(line).id)?.(line))
  return async (message) => {
    const mine = ++id
    const answered = new Promise<string>((resolve) => waiting.set(mine, resolve))
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: mine, ...message })}\n`)
    const line = await answered
    waiting.delete(mine)
    if ((message as { method?: string }).method === 'initialize')
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    return line
  }
}
