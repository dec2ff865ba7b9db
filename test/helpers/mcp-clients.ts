import process from 'node:process'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { BIN } from './programs.ts'

/** Test helper: the official MCP clients, old and new, over both transports, behind one face. */

/**
 * `v1`: the single SDK of 2025; `v2`: its successor in the protocol of 2025, as it is by default;
 * `v2-modern`: in that of 2026.
 */
export const CLIENTS = ['v1', 'v2', 'v2-modern'] as const
export const TRANSPORTS = ['http', 'stdio'] as const
export type ClientKind = (typeof CLIENTS)[number]
export type TransportKind = (typeof TRANSPORTS)[number]

export interface McpAccess {
  readonly url: string
  readonly token: string
  readonly socket: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Further arguments of `exomonad mcp`. */
  readonly args?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Milliseconds; the SDKs’ own default is a minute. */
  readonly timeout?: number
  readonly onprogress?: (progress: { progress: number; message?: string }) => void
}

export interface ToolResult {
  readonly isError?: boolean
  readonly structuredContent?: Record<string, any>
  readonly content: readonly { type: string; text: string }[]
}

export interface McpTestClient {
  list(): Promise<{ name: string; description: string; inputSchema: any; outputSchema: any }[]>
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>
  /**
   * Texts of all notifications of progress that arrived, oldest first: the SDKs drop what comes in
   * one piece with the result, before `onprogress`.
   */
  progressed(): readonly string[]
  /** What the server wrote to stderr (stdio only). */
  stderr(): string
  /** Protocol version that was agreed on. */
  protocol(): string | undefined
  close(): Promise<void>
}

export async function connectMcp(
  kind: ClientKind,
  transport: TransportKind,
  access: McpAccess,
): Promise<McpTestClient> {
  const headers = { authorization: `Bearer ${access.token}`, ...access.headers }
  const program = {
    command: process.execPath,
    args: [BIN, 'mcp', ...(access.args ?? [])],
    env: {
      PATH: process.env['PATH'] ?? '',
      EXOMONAD_SOCKET: access.socket,
      EXOMONAD_TOKEN: access.token,
      ...access.env,
    },
    ...(access.cwd === undefined ? {} : { cwd: access.cwd }),
    stderr: 'pipe' as const,
  }
  let said = ''
  const listen = (
    stream: { on(event: 'data', listener: (chunk: unknown) => void): unknown } | null,
  ): void => void stream?.on('data', (chunk) => (said += String(chunk)))
  const progressed: string[] = []
  const tap = ({ transport: connected }: { transport?: unknown }): void => {
    const under = connected as { onmessage?: (message: any, ...more: unknown[]) => void }
    const handle = under.onmessage
    under.onmessage = (message, ...more) => {
      if (message.method === 'notifications/progress')
        progressed.push(String(message.params.message))
      handle?.(message, ...more)
    }
  }
  if (kind === 'v1') {
    const client = new ClientV1({ name: 'test', version: '1' })
    const stdio = transport === 'stdio' ? new StdioV1(program) : undefined
    listen(stdio?.stderr as never)
    await client.connect(
      (stdio ?? new HttpV1(new URL(access.url), { requestInit: { headers } })) as never,
    )
    tap(client)
    return {
      list: async () => (await client.listTools()).tools as never,
      call: async (name, input = {}, options = {}) =>
        (await client.callTool({ name, arguments: input }, undefined, options as never)) as never,
      progressed: () => progressed,
      stderr: () => said,
      protocol: () => undefined,
      close: () => client.close(),
    }
  }
  const client = new ClientV2(
    { name: 'test', version: '2' },
    { versionNegotiation: { mode: kind === 'v2' ? 'legacy' : 'auto' } },
  )
  const stdio = transport === 'stdio' ? new StdioV2(program) : undefined
  listen(stdio?.stderr as never)
  await client.connect(stdio ?? new HttpV2(new URL(access.url), { requestInit: { headers } }))
  tap(client)
  return {
    list: async () => (await client.listTools()).tools as never,
    call: async (name, input = {}, options = {}) =>
      (await client.callTool({ name, arguments: input }, options as never)) as never,
    progressed: () => progressed,
    stderr: () => said,
    protocol: () => client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  }
}
