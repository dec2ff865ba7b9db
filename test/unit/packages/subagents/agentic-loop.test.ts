import { describe, expect, it, vi } from 'vitest'
import {
  createAgenticLoop,
  createConversation,
  createToolRegistry,
  type ACPAgentToolCall,
} from '../../../../src/index.ts'
import { createTurnCounter } from '../../../../packages/subagents/src/loop/turns.ts'
import { isRegistryCall } from '../../../../packages/subagents/src/tools/tool-titles.ts'
import { verifies } from '../../../requirements.ts'
import {
  callTool,
  COMPLETE,
  createMockACPClient,
  createScriptedClient,
  delta,
} from './mock-client.ts'

const own = (
  id: string,
  status: ACPAgentToolCall['status'],
  title = 'Read file',
): ACPAgentToolCall => ({ id, title, kind: 'read', status })

describe('a loop', () => {
  it(
    verifies(
      'R002-02',
      'answers the final text, with turns and tokens, and keeps the conversation',
    ),
    async () => {
      const acpClient = createMockACPClient(['First.', 'Second.'])
      const conversation = createConversation({ systemPrompt: 'Be brief.' })
      const loop = createAgenticLoop({
        acpClient,
        toolRegistry: createToolRegistry(),
        conversation,
      })
      expect(await loop.run('one')).toMatchObject({
        finalText: 'First.',
        totalTurns: 1,
        hitTurnLimit: false,
        toolCalls: 0,
      })
      expect((await loop.run('two')).finalText).toBe('Second.')
      expect(conversation.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
        'user: one',
        'assistant: First.',
        'user: two',
        'assistant: Second.',
      ])
      const [first, second] = vi.mocked(acpClient.generateStream).mock.calls
      expect(first?.[1]).toMatchObject({ systemPrompt: 'Be brief.', conversation, history: [] })
      // One session for both: what was said before is sent to a client that has to begin another.
      expect(second?.[1]?.conversation).toBe(conversation)
      expect(second?.[1]?.history?.map(({ content }) => content)).toEqual(['one', 'First.'])
    },
  )

  it('returns what was said after the last tool, and before it where nothing was', async () => {
    const run = async (after: string) => {
      const acpClient = createScriptedClient(async function* () {
        yield delta('I will look.')
        yield { type: 'tool_call', toolCall: own('1', 'completed') }
        yield { type: 'thought', text: 'hm' }
        if (after !== '') yield delta(after)
        yield {
          type: 'complete',
          usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
          stopReason: 'end_turn',
        }
      })
      return createAgenticLoop({
        acpClient,
        toolRegistry: createToolRegistry(),
        conversation: createConversation(),
      }).run('look')
    }
    expect(await run('It is blue.')).toMatchObject({
      finalText: 'It is blue.',
      totalTurns: 2,
      stopReason: 'end_turn',
      totalUsage: { totalTokens: 15 },
    })
    expect(await run('')).toMatchObject({ finalText: 'I will look.' })
  })

  it('reports the agent’s own tools apart from the registry’s', async () => {
    const acpClient = createScriptedClient(async function* (_prompt, options) {
      // Agents announce calls of MCP servers like their own.
      yield { type: 'tool_call', toolCall: own('1', 'pending', 'mcp__exomonad-library__look') }
      await callTool(options, 'look')
      yield {
        type: 'tool_call_update',
        toolCall: own('1', 'completed', 'mcp__exomonad-library__look'),
      }
      yield { type: 'tool_call', toolCall: own('2', 'in_progress') }
      yield { type: 'tool_call_update', toolCall: own('2', 'failed') }
      yield COMPLETE
    })
    const reported: string[] = []
    const toolRegistry = createToolRegistry()
    toolRegistry.register(
      { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
      () => 'seen',
    )
    const result = await createAgenticLoop({
      acpClient,
      toolRegistry,
      conversation: createConversation(),
    }).run('x', {
      onTurn: (turn) => reported.push(`turn ${turn}`),
      onToolCallStart: ({ name }) => reported.push(`call ${name}`),
      onToolCallEnd: ({ name }) => reported.push(`answer ${name}`),
      onAgentToolCall: ({ title }) => reported.push(`own ${title}`),
      onAgentToolCallUpdate: ({ status }) => reported.push(`own ${status}`),
    })
    expect(reported).toEqual([
      'turn 1',
      'call look',
      'answer look',
      'turn 2',
      'own Read file',
      'own failed',
    ])
    expect(result).toMatchObject({ totalTurns: 2, toolCalls: 1 })
  })

  it('counts a call of the registry once, also where the agent reports it at its end alone', async () => {
    const acpClient = createScriptedClient(async function* (_prompt, options) {
      await callTool(options, 'look')
      yield {
        type: 'tool_call',
        toolCall: own('1', 'completed', 'look (exomonad-library MCP Server)'),
      }
      yield delta('Seen.')
      yield { type: 'tool_call', toolCall: own('2', 'completed') }
      yield delta('Read.')
      yield COMPLETE
    })
    const toolRegistry = createToolRegistry()
    toolRegistry.register(
      { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
      () => 'seen',
    )
    const result = await createAgenticLoop({
      acpClient,
      toolRegistry,
      conversation: createConversation(),
    }).run('x')
    expect(result).toMatchObject({ totalTurns: 3, finalText: 'Read.' })
  })

  it('cancels the agent at the turn limit, refuses further calls, and says so', async () => {
    let cancelled: unknown
    let refused: unknown
    const acpClient = createScriptedClient(async function* (_prompt, options) {
      options.signal!.addEventListener('abort', () => (cancelled ??= options.signal!.reason))
      yield delta('one')
      await callTool(options, 'look')
      yield delta('two')
      await callTool(options, 'look')
      refused = await callTool(options, 'look').catch((error: Error) => error.message)
      yield delta('three')
    })
    const toolRegistry = createToolRegistry()
    const look = vi.fn(() => 'seen')
    toolRegistry.register(
      { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
      look,
    )
    const result = await createAgenticLoop({
      acpClient,
      toolRegistry,
      conversation: createConversation(),
      maxTurns: 2,
    }).run('x')
    expect(result).toMatchObject({
      finalText: 'two',
      totalTurns: 2,
      hitTurnLimit: true,
      toolCalls: 2,
    })
    expect(cancelled).toEqual(new Error('The limit of 2 turns is reached.'))
    await vi.waitFor(() => expect(refused).toBe('The limit of 2 turns is reached.'), 15_000)
    expect(look).toHaveBeenCalledTimes(2)
  })

  it('reports an error once and rejects with it', async () => {
    const acpClient = createScriptedClient(async function* () {
      yield delta('so far')
      throw new Error('broken')
    })
    const onError = vi.fn()
    const conversation = createConversation()
    const loop = createAgenticLoop({ acpClient, toolRegistry: createToolRegistry(), conversation })
    await expect(loop.run('x', { onError })).rejects.toThrow('broken')
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('broken'))
    expect(conversation.messages.at(-1)).toEqual({ role: 'assistant', content: 'so far' })
  })

  it('refuses a second run at the same time, and a limit that is none', async () => {
    const acpClient = createScriptedClient(async function* () {
      yield delta('…')
      await new Promise(() => {})
    })
    const options = {
      acpClient,
      toolRegistry: createToolRegistry(),
      conversation: createConversation(),
    }
    const controller = new AbortController()
    const loop = createAgenticLoop({ ...options, signal: controller.signal })
    const run = loop.run('x')
    await expect(loop.run('y')).rejects.toMatchObject({ code: 'INVALID_ARG' })
    controller.abort(new Error('enough'))
    await expect(run).rejects.toThrow('enough')
    expect(() => createAgenticLoop({ ...options, maxTurns: 0.5 })).toThrow(
      /maxTurns is a whole number/,
    )
  })
})

describe('turns', () => {
  it('are rounds of the model: tools side by side belong to one', () => {
    const own = count()
    expect(own.after(own.spoke, own.spoke)).toBe(1)
    expect(own.after(own.announced('a'), own.announced('b'), own.ended('a'), own.spoke)).toBe(1)
    expect(own.after(own.ended('b'), own.spoke, own.spoke)).toBe(2)
    expect(
      own.after(own.announced('c'), own.ended('c'), own.announced('d'), own.ended('d'), own.spoke),
    ).toBe(4)
  })

  it('count the registry’s tools by their calls where the agent reports nothing of them', () => {
    const { after, called, answered, spoke, announced, ended } = count()
    expect(after(called, called, answered)).toBe(1)
    expect(after(answered, called, answered)).toBe(2)
    expect(after(announced('own'), ended('own'), spoke)).toBe(4)
  })

  it('count them by what the agent reports where it does, however late', () => {
    const { after, called, answered, spoke, announced, ended } = count()
    expect(after(announced('a', true), called, answered, ended('a'), spoke)).toBe(2)
    // Called and answered before what the model said before that has come, and the announcement.
    expect(after(called, answered, spoke, announced('b', true), ended('b'), spoke)).toBe(3)
    // Reported at its end alone.
    expect(after(called, answered, announced('c', true), ended('c'), spoke)).toBe(4)
  })
})

function count() {
  const counter = createTurnCounter()
  return {
    after: (...steps: (() => void)[]) => {
      for (const step of steps) step()
      return counter.turns
    },
    spoke: counter.spoke,
    called: counter.called,
    answered: counter.answered,
    announced:
      (id: string, isRegistrys = false) =>
      () =>
        counter.announced(id, isRegistrys),
    ended: (id: string) => () => counter.ended(id),
  }
}

describe('an agent’s tool call', () => {
  it('is the registry’s by its whole title alone', () => {
    const definitions = [
      { name: 'search', description: '', parameters: {}, category: 'search' as const },
    ]
    const is = (title: string) => isRegistryCall(definitions, own('1', 'pending', title))
    expect(
      [
        'mcp__exomonad-library__search',
        'exomonad-library_search',
        'search (exomonad-library MCP Server)',
      ].map(is),
    ).toEqual([true, true, true])
    expect(
      [
        'search',
        'rm -rf / # mcp__exomonad-library__search',
        'mcp__exomonad-library__search; rm -rf /',
        'mcp__other__search',
      ].map(is),
    ).toEqual([false, false, false, false])
  })
})
