import { request } from 'node:http'
import process from 'node:process'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createToolRegistry, type ACPToolSource, type ToolCallRequest } from '../../../src/index.ts'
import { BRIDGE_FILE } from '../../../packages/subagents/src/own-package.ts'
import { BRIDGE_PORT, BRIDGE_TOKEN } from '../../../packages/subagents/src/mcp/bridge-protocol.ts'
import {
  startRegistryServer,
  type RegistryAccess,
  type RegistryServer,
} from '../../../packages/subagents/src/mcp/registry-server.ts'
import { CLIENTS, connectMcp, type ClientKind } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * How a registry reaches agents: its MCP server, with the official clients in every way that agents
 * come.
 */

async function served(): Promise<{
  server: RegistryServer
  access: RegistryAccess
  source: ACPToolSource
  calls: ToolCallRequest[]
  aborted: string[]
}> {
  const server = await startRegistryServer('1.2.3')
  onTestFinished(() => server.close())
  const registry = createToolRegistry()
  const calls: ToolCallRequest[] = []
  const aborted: string[] = []
  registry.register(
    {
      name: 'look_up',
      description: 'Looks a word up',
      parameters: { word: { type: 'string', description: 'Which', required: true } },
      category: 'search',
    },
    ({ word }) => `${word} means ${String(word).length} letters`,
  )
  registry.register(
    { name: 'wait_long', description: 'Waits', parameters: {}, category: 'other' },
    (_args, { signal }) => {
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push((signal.reason as Error).message)
          reject(signal.reason as Error)
        }),
      )
    },
  )
  const source: ACPToolSource = {
    definitions: registry.getToolDefinitions,
    execute: (call, options) => {
      calls.push(call)
      return registry.execute(call, options)
    },
  }
  const access = server.add()
  access.bind(source)
  return { server, access, source, calls, aborted }
}

const access = ({ url, token }: RegistryAccess) => ({ url, token, socket: '' })

async function overHttp(kind: ClientKind, to: RegistryAccess) {
  const client = await connectMcp(kind, 'http', access(to))
  onTestFinished(() => client.close())
  return client
}

describe.each(CLIENTS)('the MCP server of a registry and a client of kind %s', (kind) => {
  it('lists its tools and runs them, errors as results', async () => {
    const { access: own, calls } = await served()
    const client = await overHttp(kind, own)
    expect(await client.list()).toMatchObject([
      {
        name: 'look_up',
        description: 'Looks a word up',
        inputSchema: {
          type: 'object',
          properties: { word: { type: 'string', description: 'Which' } },
          required: ['word'],
        },
      },
      { name: 'wait_long', inputSchema: { type: 'object' } },
    ])
    expect(await client.call('look_up', { word: 'tree' })).toMatchObject({
      content: [{ type: 'text', text: 'tree means 4 letters' }],
    })
    expect(await client.call('look_up', {})).toMatchObject({
      isError: true,
      content: [{ text: 'look_up needs word (string): Which' }],
    })
    expect(await client.call('other', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no tool named other') }],
    })
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  it('aborts what a client cancels, and nothing else', async () => {
    const { access: own, calls, aborted } = await served()
    const client = await overHttp(kind, own)
    const other = await overHttp(kind, own)
    const controller = new AbortController()
    const cancelled = client
      .call('wait_long', {}, { signal: controller.signal })
      .catch(() => 'cancelled')
    const waiting = other.call('wait_long', {}).catch((error: Error) => error)
    await waitFor('both calls', () => calls.length === 2)
    controller.abort()
    expect(await cancelled).toBe('cancelled')
    await waitFor('the abort', () => aborted.length === 1)
    own.remove()
    expect(await waiting).toMatchObject({
      isError: true,
      content: [{ text: 'The session is over.' }],
    })
  })

  it('keeps a long call alive', async () => {
    const { access: own } = await served()
    const client = await overHttp(kind, own)
    const received: unknown[] = []
    const call = client
      .call('wait_long', {}, { onprogress: (progress) => received.push(progress) })
      .catch((error: Error) => error)
    await waitFor('a sign of life', () => received.length > 0)
    expect(received[0]).toMatchObject({ progress: 1, message: 'wait_long goes on' })
    own.remove()
    await call
  })
})

describe('the bridge', () => {
  it('is that server on stdio, ends with its client and aborts what that has called', async () => {
    const { access: own, calls, aborted } = await served()
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BRIDGE_FILE],
      env: {
        PATH: process.env['PATH'] ?? '',
        TMPDIR: process.env['TMPDIR'] ?? '/tmp',
        [BRIDGE_PORT]: new URL(own.url).port,
        [BRIDGE_TOKEN]: own.token,
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'look_up',
      'wait_long',
    ])
    expect(await client.callTool({ name: 'look_up', arguments: { word: 'tree' } })).toMatchObject({
      content: [{ text: 'tree means 4 letters' }],
    })
    const waiting = client.callTool({ name: 'wait_long', arguments: {} }).catch(() => 'closed')
    await waitFor('the call', () => calls.length === 2)
    const { pid } = transport
    await client.close()
    expect(await waiting).toBe('closed')
    await waitFor('the abort', () => aborted.length === 1)
    await waitFor('the end of the bridge', () => {
      try {
        return !process.kill(pid!, 0)
      } catch {
        return true
      }
    })
  })
})

describe('the token', () => {
  const ask = (own: RegistryAccess, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const asking = request(own.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      })
      asking.once('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      asking.once('error', reject)
      asking.end(body)
    })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('decides whose tools are called; without it, or from a web page, there is nothing', async () => {
    const { server, access: own, source } = await served()
    const other = server.add()
    expect(await ask(own, {})).toBe(401)
    expect(await ask(own, bearer('x'.repeat(own.token.length)))).toBe(401)
    expect(await ask(own, { ...bearer(own.token), host: 'example.org' })).toBe(403)
    expect(await ask(own, { ...bearer(own.token), origin: 'https://example.org' })).toBe(403)
    const client = await overHttp('v2', other)
    expect(await client.list()).toEqual([])
    expect(await client.call('look_up', { word: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Nobody answers') }],
    })
    other.bind(source)
    expect(await client.call('look_up', { word: 'x' })).toMatchObject({
      content: [{ text: 'x means 1 letters' }],
    })
    own.remove()
    expect(await ask(own, bearer(own.token))).toBe(401)
    expect(await client.call('look_up', { word: 'yy' })).toMatchObject({
      content: [{ text: 'yy means 2 letters' }],
    })
  })
})
