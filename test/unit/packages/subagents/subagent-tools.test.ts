import { describe, expect, it, vi } from 'vitest'
import {
  createToolRegistry,
  registerSubagentTools,
  type SubagentCallbacks,
  type SubagentInfo,
  type SubagentResult,
} from '../../../../src/index.ts'
import { verifies } from '../../../requirements.ts'
import {
  callTool,
  COMPLETE,
  createMockACPClient,
  createScriptedClient,
  delta,
} from './mock-client.ts'

const spawnCall = (id: string, args: Record<string, unknown> = {}) => ({
  id,
  name: 'subagent_spawn',
  arguments: { task: 'Research the API', description: 'Researching API', ...args },
})
const delegateCall = (id: string, args: Record<string, unknown> = {}) => ({
  id,
  name: 'subagent_delegate',
  arguments: { task: 'Summarize', description: 'Summarizing document', ...args },
})

/** Everything that callbacks are called with, in order. */
function recorder() {
  const reported: unknown[][] = []
  const callbacks: SubagentCallbacks = {
    onSubagentStart: (info) => reported.push(['start', info]),
    onSubagentStreamDelta: (id, text) => reported.push(['delta', id, text]),
    onSubagentToolCallStart: (id, call) => reported.push(['call', id, call.name, call.arguments]),
    onSubagentToolCallEnd: (id, { name, output, isError }) =>
      reported.push(['answer', id, name, output, isError]),
    onSubagentComplete: (id, result) => reported.push(['complete', id, result]),
    onSubagentError: (id, error) => reported.push(['error', id, error.message]),
  }
  return { reported, callbacks, kinds: () => reported.map(([kind]) => kind) }
}

describe('registerSubagentTools', () => {
  it(verifies('R002-01', 'registers both tools, under the category subagent'), () => {
    const registry = createToolRegistry({})
    registerSubagentTools(registry, { acpClient: createMockACPClient(), toolRegistry: registry })
    expect(registry.getToolDefinitions().map(({ name, category }) => [name, category])).toEqual([
      ['subagent_spawn', 'subagent'],
      ['subagent_delegate', 'subagent'],
    ])
    const [spawn, delegate] = registry.getToolDefinitions().map(({ parameters }) => parameters)
    expect(Object.entries(spawn!).map(([name, { required = false }]) => [name, required])).toEqual([
      ['task', true],
      ['description', true],
      ['maxTurns', false],
      ['systemPrompt', false],
    ])
    expect(Object.keys(delegate!)).toEqual(['task', 'description', 'serverName', 'agentId'])
  })

  it(verifies('R002-05', 'registers nothing at or past the depth limit'), () => {
    const acpClient = createMockACPClient()
    const at = (depth: number, maxDepth?: number) => {
      const registry = createToolRegistry()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, maxDepth }, depth)
      return registry.toolCount
    }
    expect([at(0), at(1), at(2), at(3)]).toEqual([2, 2, 0, 0])
    expect([at(0, 0), at(0, 1), at(1, 1), at(2, 3)]).toEqual([0, 2, 0, 2])
  })
})

describe('subagent_spawn', () => {
  it(
    verifies('R002-02', 'runs a loop in a conversation of its own and returns its final text'),
    async () => {
      const acpClient = createMockACPClient(['child result', 'second result'])
      const registry = createToolRegistry({})
      registerSubagentTools(registry, { acpClient, toolRegistry: registry })
      const result = await registry.execute(spawnCall('call_1'))
      expect(result).toMatchObject({
        id: 'call_1',
        name: 'subagent_spawn',
        output: 'child result',
        isError: false,
      })
      await registry.execute(spawnCall('call_2', { task: 'Something else' }))
      const prompts = vi.mocked(acpClient.generateStream).mock.calls
      expect(prompts.map(([prompt, options]) => [prompt, options?.history])).toEqual([
        ['Research the API', []],
        ['Something else', []],
      ])
    },
  )

  it(
    verifies('R002-02', 'takes ten turns by default, and says which limit stopped it'),
    async () => {
      // Its model calls a tool in every round, for ever.
      const acpClient = createScriptedClient(async function* (_prompt, options) {
        for (let round = 1; ; round += 1) {
          yield delta(`round ${round}`)
          await callTool(options, 'look')
        }
      })
      const { reported, callbacks } = recorder()
      const registry = createToolRegistry()
      registry.register(
        { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
        () => 'seen',
      )
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      const result = await registry.execute(spawnCall('call_1'))
      expect(result.isError).toBe(false)
      expect(result.output).toMatch(/^round 10\n\n\[Stopped at the limit of 10 turns/)
      expect(reported.at(-1)).toEqual([
        'complete',
        expect.any(String),
        expect.objectContaining({ turns: 10, text: result.output }),
      ])
      expect((await registry.execute(spawnCall('call_2', { maxTurns: 1 }))).output).toMatch(
        /^round 1\n\n\[Stopped at the limit of 1 turn:/,
      )
    },
  )

  it('refuses a turn limit that is none, and a call without a task', async () => {
    const acpClient = createMockACPClient()
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    expect(await registry.execute(spawnCall('call_1', { maxTurns: 0 }))).toMatchObject({
      isError: true,
      output: expect.stringContaining('maxTurns'),
    })
    expect(
      await registry.execute({
        id: 'call_2',
        name: 'subagent_spawn',
        arguments: { description: 'Nothing' },
      }),
    ).toMatchObject({
      isError: true,
      output: expect.stringContaining('subagent_spawn needs task'),
    })
    expect(acpClient.generateStream).not.toHaveBeenCalled()
  })

  it(
    verifies('R002-08', 'takes a system prompt of its own, else the one of the options'),
    async () => {
      const acpClient = createMockACPClient()
      const registry = createToolRegistry()
      registerSubagentTools(registry, {
        acpClient,
        toolRegistry: registry,
        systemPrompt: 'Be brief.',
        serverName: 'main',
        agentId: 'writer',
      })
      await registry.execute(spawnCall('call_1'))
      await registry.execute(spawnCall('call_2', { systemPrompt: 'You are a pirate.' }))
      expect(vi.mocked(acpClient.generateStream).mock.calls.map(([, options]) => options)).toEqual([
        expect.objectContaining({
          systemPrompt: 'Be brief.',
          serverName: 'main',
          agentId: 'writer',
        }),
        expect.objectContaining({
          systemPrompt: 'You are a pirate.',
          serverName: 'main',
          agentId: 'writer',
        }),
      ])
    },
  )
})

describe('subagent_delegate', () => {
  it(verifies('R002-03', 'calls generate once and returns its content: one turn'), async () => {
    const acpClient = createMockACPClient(['the summary'])
    const { reported, callbacks } = recorder()
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
    const result = await registry.execute(delegateCall('call_1'))
    expect(result).toMatchObject({ output: 'the summary', isError: false })
    expect(acpClient.generate).toHaveBeenCalledTimes(1)
    expect(acpClient.generateStream).not.toHaveBeenCalled()
    expect(reported).toEqual([
      [
        'start',
        {
          id: expect.stringMatching(/^sub_\d+$/),
          description: 'Summarizing document',
          mode: 'delegate',
        },
      ],
      [
        'complete',
        (reported[0]![1] as SubagentInfo).id,
        { text: 'the summary', turns: 1, durationMs: expect.any(Number) },
      ],
    ])
  })

  it(verifies('R002-08', 'asks another server or agent'), async () => {
    const acpClient = createMockACPClient()
    const registry = createToolRegistry()
    registerSubagentTools(registry, {
      acpClient,
      toolRegistry: registry,
      serverName: 'main',
      agentId: 'writer',
    })
    await registry.execute(delegateCall('call_1'))
    await registry.execute(delegateCall('call_2', { serverName: 'other', agentId: 'critic' }))
    await registry.execute(delegateCall('call_3', { serverName: 'other' }))
    expect(
      vi
        .mocked(acpClient.generate)
        .mock.calls.map(([, options]) => [options?.serverName, options?.agentId]),
    ).toEqual([
      ['main', 'writer'],
      ['other', 'critic'],
      // Not the main server’s agent.
      ['other', undefined],
    ])
  })
})

describe('callbacks', () => {
  it(
    verifies('R002-04', 'report start, text, tool calls and the end in order, with their data'),
    async () => {
      const acpClient = createScriptedClient(async function* (_prompt, options) {
        yield delta('Let me look. ')
        await callTool(options, 'search', { query: 'x' })
        await callTool(options, 'break')
        yield {
          type: 'tool_call',
          toolCall: {
            id: 'own',
            title: 'Read README.md',
            kind: 'read',
            status: 'in_progress',
            detail: 'README.md',
          },
        }
        yield {
          type: 'tool_call_update',
          toolCall: {
            id: 'own',
            title: 'Read README.md',
            kind: 'read',
            status: 'completed',
            output: '# Title',
          },
        }
        yield delta('Found ')
        yield delta('it.')
        yield COMPLETE
      })
      const { reported, callbacks } = recorder()
      const registry = createToolRegistry()
      registry.register(
        { name: 'search', description: 'Searches', parameters: {}, category: 'search' },
        ({ query }) => `found ${query}`,
      )
      registry.register(
        { name: 'break', description: 'Breaks', parameters: {}, category: 'other' },
        () => {
          throw new Error('broken')
        },
      )
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      const { output } = await registry.execute(spawnCall('call_1'))
      const { id } = reported[0]![1] as SubagentInfo
      expect(reported).toEqual([
        ['start', { id, description: 'Researching API', mode: 'spawn' }],
        ['delta', id, 'Let me look. '],
        ['call', id, 'search', { query: 'x' }],
        ['answer', id, 'search', 'found x', false],
        ['call', id, 'break', {}],
        ['answer', id, 'break', 'broken', true],
        ['call', id, 'Read README.md', { detail: 'README.md' }],
        ['answer', id, 'Read README.md', '# Title', false],
        ['delta', id, 'Found '],
        ['delta', id, 'it.'],
        ['complete', id, { text: 'Found it.', turns: 4, durationMs: expect.any(Number) }],
      ])
      expect(output).toBe('Found it.')
      expect(Object.isFrozen(reported[0]![1])).toBe(true)
      expect(Object.isFrozen(reported.at(-1)![2])).toBe(true)
      expect((reported.at(-1)![2] as SubagentResult).durationMs).toBeGreaterThanOrEqual(0)
    },
  )

  it(
    verifies('R002-07', 'report an error once, without a completion, and the call fails with it'),
    async () => {
      const acpClient = createScriptedClient(async function* () {
        yield delta('so far')
        throw new Error('the agent broke')
      })
      vi.mocked(acpClient.generate).mockRejectedValue(new Error('no such agent'))
      const { reported, callbacks, kinds } = recorder()
      const registry = createToolRegistry()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      expect(await registry.execute(spawnCall('call_1'))).toMatchObject({
        isError: true,
        output: 'the agent broke',
      })
      expect(kinds()).toEqual(['start', 'delta', 'error'])
      expect(await registry.execute(delegateCall('call_2'))).toMatchObject({
        isError: true,
        output: 'no such agent',
      })
      expect(kinds()).toEqual(['start', 'delta', 'error', 'start', 'error'])
      expect(reported.at(-1)).toEqual(['error', expect.any(String), 'no such agent'])
    },
  )
})
