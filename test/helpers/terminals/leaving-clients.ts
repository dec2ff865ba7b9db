import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import process from 'node:process'
import { createClient } from '../../../src/surfaces/client.ts'
import { BIN } from '../programs.ts'

/**
 * Test helper: clients that call a tool, never read what they are answered, and go when they are
 * asked to.
 */

export interface Door {
  readonly socket: string
  readonly token: string
  /** A folder of the repository. */
  readonly cwd: string
}
/** Returns how it goes. */
export type LeavingClient = (door: Door, tool: string, input: unknown) => Promise<() => void>

const overSocket =
  (accept: string): LeavingClient =>
  async ({ socket, token }, tool, input) => {
    const connection = connect(socket)
    connection.on('error', () => {})
    connection.pause()
    const body = JSON.stringify(input)
    connection.write(
      `POST /v1/tools/${tool} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    return () => void connection.destroy()
  }

export const overHttp = overSocket('application/json')

const call = (tool: string, input: unknown) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: input },
  })

const overMcpHttp: LeavingClient = async ({ socket, token }, tool, input) => {
  const { mcp } = (await createClient({ socket, token }).get('/healthz')) as { mcp: string }
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const sent = request(mcp, { method: 'POST', headers })
  sent.on('error', () => {})
  // Taken, and never read.
  sent.on('response', (response) => response.on('error', () => {}).pause())
  sent.end(call(tool, input))
  return () => void sent.destroy()
}

const overStdio: LeavingClient = async ({ socket, token, cwd }, tool, input) => {
  const env = { PATH: process.env['PATH'] ?? '', EXOMONAD_SOCKET: socket, EXOMONAD_TOKEN: token }
  const proxy = spawn(process.execPath, [BIN, 'mcp'], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  proxy.stdin.on('error', () => {})
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  proxy.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize })}\n`,
  )
  await new Promise((resolve) => proxy.stdout.once('data', resolve))
  proxy.stdout.pause()
  proxy.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${call(tool, input)}\n`,
  )
  return () => void proxy.kill('SIGKILL')
}

export const LEAVING_CLIENTS: readonly (readonly [string, LeavingClient])[] = [
  ['HTTP', overHttp],
  ['HTTP, as a stream', overSocket('text/event-stream')],
  ['MCP over HTTP', overMcpHttp],
  ['MCP over stdio, killed', overStdio],
]
