import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WaitResult } from '../../../../src/core/mail/agent-waits.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { createMcpServer } from '../../../../src/surfaces/mcp/server.ts'
import { createTextGate } from '../../../../src/sanitize/text-gate.ts'
import { ALL_TOOLS } from '../../../../src/tools/all.ts'
import { AGENTS, scriptedCore } from '../scripted-core.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/**
 * A client of the official SDK, which gives a request up after a minute, beside the server; and the
 * wait that its call comes to.
 */
async function waitingClient() {
  const answer = Promise.withResolvers<WaitResult>()
  const wait: { signal?: AbortSignal; say?: (words: string) => void } = {}
  const core = scriptedCore({
    waiting: {
      wait: (_caller, _input, { signal, progress }) => {
        Object.assign(wait, { signal, say: progress })
        return answer.promise
      },
    },
  })
  const server = createMcpServer(
    {
      core,
      tools: ALL_TOOLS,
      roleTools: () => undefined,
      gate: createTextGate(),
      log: silentLog(),
      version: '0',
      clock: Date.now,
    },
    { identify: async () => ({ kind: 'agent', agent: AGENTS.lead }) },
  )
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' } },
  )
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far as never)
  await client.connect(near)
  onTestFinished(() => client.close())
  const reported: (string | undefined)[] = []
  const call = (options: object = {}) =>
    client.callTool(
      { name: 'wait', arguments: { timeout: 3600, from_agents: ['dev'] } },
      options as never,
    )
  return { answer, wait, reported, call }
}

describe('a long wait over MCP', () => {
  it('outlasts a client that gives up after a minute without a sign, and reports to it how far it is', async () => {
    const { answer, wait, reported, call } = await waitingClient()
    const called = call({
      resetTimeoutOnProgress: true,
      onprogress: ({ message }: { message?: string }) => void reported.push(message),
    })
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    wait.say?.('1 of 2 have answered')
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    expect(wait.signal?.aborted).toBe(false)
    answer.resolve({
      results: [{ agent_id: AGENTS.dev.id, name: 'dev', status: 'received', message: 'done' }],
    })
    expect(await called).toMatchObject({
      structuredContent: { results: [{ name: 'dev', status: 'received', message: 'done' }] },
    })
    expect(reported).toContain('1 of 2 have answered')
    expect(reported.length).toBeGreaterThan(200)
  })

  it('ends with a client that gives up all the same', async () => {
    const { wait, call } = await waitingClient()
    const refused = call().then(
      () => undefined,
      (error: Error) => error.message,
    )
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await refused).toMatch(/timed out/i)
    expect(wait.signal?.aborted).toBe(true)
  })
})
