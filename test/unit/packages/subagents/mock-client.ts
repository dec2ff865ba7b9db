import { vi } from 'vitest'
import type { ACPClient, ACPGenerateOptions, ACPStreamChunk } from '../../../../src/index.ts'

/** A client without agents: returns in turn what it was given, then `done`. */
export function createMockACPClient(responses: readonly string[] = ['Final response.']): ACPClient {
  let next = 0
  const answer = (): string => responses[next++] ?? 'done'
  return {
    initialize: vi.fn(() => Promise.resolve()),
    dispose: vi.fn(() => Promise.resolve()),
    listAgents: vi.fn(() => Promise.resolve([])),
    getAgent: vi.fn(() => Promise.resolve({ id: 'test', name: 'test' })),
    generate: vi.fn(() =>
      Promise.resolve({
        content: answer(),
        agentId: 'test',
        serverName: 'test',
        sessionId: 'sess',
      }),
    ),
    chat: vi.fn(() =>
      Promise.resolve({ content: 'chat', agentId: 'test', serverName: 'test', sessionId: 'sess' }),
    ),
    generateStream: vi.fn(async function* () {
      const response = answer()
      yield { type: 'delta' as const, text: response }
      yield { type: 'complete' as const, usage: undefined }
    }),
    embed: vi.fn(() => Promise.resolve({ embeddings: [[]], agentId: 'test', serverName: 'test' })),
    isAvailable: vi.fn(() => Promise.resolve(true)),
    setPermissionPolicy: vi.fn(() => {}),
    getServerHealth: vi.fn(() => undefined),
    listSessions: vi.fn(() => Promise.resolve([])),
    loadSession: vi.fn(() => Promise.resolve({} as any)),
    deleteSession: vi.fn(() => Promise.resolve()),
    setSessionMode: vi.fn(() => Promise.resolve()),
    setSessionModel: vi.fn(() => Promise.resolve()),
    serverNames: ['test'],
    serverCount: 1,
    defaultServerName: 'test',
    defaultAgent: 'test',
  } as ACPClient
}

export type Script = (
  prompt: string,
  options: ACPGenerateOptions,
  number: number,
) => AsyncGenerator<ACPStreamChunk, void>

/** The same, whose agent does as the script says: call tools, wait, fail. */
export function createScriptedClient(script: Script): ACPClient {
  let number = 0
  return {
    ...createMockACPClient(),
    generateStream: vi.fn((prompt: string, options: ACPGenerateOptions = {}) =>
      script(prompt, options, number++),
    ),
  }
}

let lastCall = 0
/** The agent calls a tool of the registry. */
export async function callTool(
  options: ACPGenerateOptions,
  name: string,
  args: Record<string, unknown> = {},
  signal = new AbortController().signal,
) {
  const { output, isError } = await options.tools!.execute(
    { id: `call_${(lastCall += 1)}`, name, arguments: args },
    { signal },
  )
  return { output, isError }
}

export const delta = (text: string): ACPStreamChunk => ({ type: 'delta', text })
export const COMPLETE: ACPStreamChunk = {
  type: 'complete',
  usage: undefined,
  stopReason: 'end_turn',
}
