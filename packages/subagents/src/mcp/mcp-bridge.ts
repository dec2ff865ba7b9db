import { request } from '../node-http.ts'
import process from 'node:process'
import { readVariables } from '../environment.ts'
import { BRIDGE_PORT, BRIDGE_PROTOCOL, BRIDGE_TOKEN } from './bridge-protocol.ts'

/**
 * A program: the registry’s MCP server on stdio, for agents that have no MCP over HTTP. It pumps
 * its standard streams through one connection, and ends with it.
 */
const { [BRIDGE_PORT]: port, [BRIDGE_TOKEN]: token } = readVariables()

if (port !== undefined && token !== undefined) {
  const asking = request({
    host: '127.0.0.1',
    port: Number(port),
    path: '/mcp',
    headers: { connection: 'Upgrade', upgrade: BRIDGE_PROTOCOL, authorization: `Bearer ${token}` },
  })
  const failed = (message: string): void => {
    process.stderr.write(`exomonad: ${message}\n`)
    process.exitCode = 1
    process.stdin.destroy()
  }
  asking.on('error', (error) => failed(`the program with the tools is gone (${error.message})`))
  asking.on('response', ({ statusCode }) =>
    failed(`the program with the tools refuses (${statusCode})`),
  )
  asking.on('upgrade', (_response, socket, head) => {
    if (head.length > 0) socket.unshift(head)
    socket.on('error', () => {})
    socket.once('close', () => process.stdin.destroy())
    socket.pipe(process.stdout)
    process.stdin.pipe(socket)
  })
  asking.end()
}
