import process from 'node:process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createAgenticLoop,
  createConversation,
  createSubagentProgress,
  createToolRegistry,
  registerSubagentTools,
  type LoopCallbacks,
  type SubagentCallbacks,
} from '../../../../src/index.ts'
import {
  callTool,
  COMPLETE,
  createMockACPClient,
  createScriptedClient,
  delta,
} from './mock-client.ts'

/**
 * Whatever a callback does, the child’s result or error is what its caller gets. Every callback ×
 * how it throws × how the child ends.
 */

const WAYS: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('the display broke')
    },
  ],
  ['rejects', () => Promise.reject(new Error('the display broke'))],
  // What it throws need not be an error, nor have a text.
  ['throws nothing', () => rethrow(undefined)],
  ['rejects with what has no text', () => Promise.reject(Object.create(null) as Error)],
]
const rethrow = (thrown: unknown): never => {
  throw thrown
}
const LOOP = [
  'onStreamStart',
  'onStreamDelta',
  'onToolCallStart',
  'onToolCallEnd',
  'onAgentToolCall',
  'onAgentToolCallUpdate',
  'onTurn',
  'onError',
] as const satisfies (keyof LoopCallbacks)[]
const SUBAGENT = [
  'onSubagentStart',
  'onSubagentStreamDelta',
  'onSubagentToolCallStart',
  'onSubagentToolCallEnd',
  'onSubagentComplete',
  'onSubagentError',
] as const satisfies (keyof SubagentCallbacks)[]
/** Fails to compile where the library takes one that is not here. */
const _all: Record<
  Exclude<keyof LoopCallbacks, (typeof LOOP)[number] | (typeof SUBAGENT)[number]>,
  never
> = {}

const own = (status: 'in_progress' | 'completed') =>
  ({ id: 'own', title: 'Read README.md', kind: 'read', status }) as const
const childThat = (fails: boolean) =>
  createScriptedClient(async function* (_prompt, options) {
    yield delta('Looking.')
    await callTool(options, 'look')
    yield { type: 'tool_call', toolCall: own('in_progress') }
    yield { type: 'tool_call_update', toolCall: own('completed') }
    yield delta('Found it.')
    if (fails) throw new Error('the agent broke')
    yield COMPLETE
  })

function registry() {
  const made = createToolRegistry()
  made.register(
    { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
    () => 'seen',
  )
  return made
}

/** Names of the callbacks that were warned of. */
function warned(): string[] {
  const names: string[] = []
  const spy = vi
    .spyOn(process, 'emitWarning')
    .mockImplementation(
      (warning) => void names.push(/callback (\w+) failed/.exec(String(warning))?.[1] ?? ''),
    )
  onTestFinished(() => spy.mockRestore())
  return names
}

const ENDS = [
  ['succeeds', false],
  ['fails', true],
] as const

describe.each(ENDS)('a child that %s', (_how, fails) => {
  describe.each(WAYS)('beside a callback that %s', (_way, breaks) => {
    it.each(LOOP)('%s: the loop ends as it would', async (name) => {
      const names = warned()
      const loop = createAgenticLoop({
        acpClient: childThat(fails),
        toolRegistry: registry(),
        conversation: createConversation(),
      })
      const run = loop.run('look', { [name]: breaks })
      if (fails) await expect(run).rejects.toThrow('the agent broke')
      else
        expect(await run).toMatchObject({
          finalText: 'Found it.',
          totalTurns: 3,
          toolCalls: 1,
          stopReason: 'end_turn',
        })
      // Once, however often it breaks; none where it had nothing to report.
      const reported = name === 'onError' && !fails ? [] : [name]
      await vi.waitFor(() => expect(names).toEqual(reported), 15_000)
    })

    it.each(SUBAGENT)('%s: so does the subagent, whether spawned or asked', async (name) => {
      const names = warned()
      const acpClient = childThat(fails)
      if (fails) vi.mocked(acpClient.generate).mockRejectedValue(new Error('the agent broke'))
      const toolRegistry = registry()
      registerSubagentTools(toolRegistry, {
        acpClient,
        toolRegistry,
        callbacks: { [name]: breaks },
      })
      const call = (tool: string) =>
        toolRegistry.execute({
          id: tool,
          name: tool,
          arguments: { task: 'look', description: 'Looking' },
        })
      expect(await call('subagent_spawn')).toMatchObject(
        fails
          ? { isError: true, output: 'the agent broke' }
          : { isError: false, output: 'Found it.' },
      )
      expect(await call('subagent_delegate')).toMatchObject(
        fails
          ? { isError: true, output: 'the agent broke' }
          : { isError: false, output: 'Final response.' },
      )
      const reported = name === (fails ? 'onSubagentComplete' : 'onSubagentError') ? [] : [name]
      await vi.waitFor(() => expect(names).toEqual(reported), 15_000)
    })

    it('a display that cannot write, also between calls', async () => {
      const names = warned()
      const toolRegistry = createToolRegistry()
      const ticks = vi.fn(breaks)
      const acpClient = createScriptedClient(async function* () {
        // Frames of the display’s own timer fall in here.
        await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(1), {
          timeout: 10_000,
          interval: 20,
        })
        if (fails) throw new Error('the agent broke')
        yield delta('Found it.')
        yield COMPLETE
      })
      registerSubagentTools(toolRegistry, {
        acpClient,
        toolRegistry,
        callbacks: createSubagentProgress({ write: ticks }),
      })
      const result = await toolRegistry.execute({
        id: '1',
        name: 'subagent_spawn',
        arguments: { task: 'look', description: 'Looking' },
      })
      expect(result).toMatchObject({
        isError: fails,
        output: fails ? 'the agent broke' : 'Found it.',
      })
      await vi.waitFor(() => expect(names).toEqual(['write']), 15_000)
    })
  })
})

describe('callbacks', () => {
  it('may be methods of a class, and change while it runs', async () => {
    const reported: string[] = []
    class Display {
      readonly reported = reported
      onStreamDelta(text: string): void {
        this.reported.push(text)
        this.onTurn = (turn) => void this.reported.push(`turn ${turn}`)
      }
      onTurn: ((turn: number) => void) | undefined = undefined
    }
    await createAgenticLoop({
      acpClient: childThat(false),
      toolRegistry: registry(),
      conversation: createConversation(),
    }).run('look', new Display())
    expect(reported).toEqual(['Looking.', 'turn 2', 'turn 3', 'Found it.'])
  })
})

describe('an empty task', () => {
  it.each(['', ' ', '\n\t '])('is refused before an agent is asked: %j', async (task) => {
    const acpClient = createMockACPClient()
    const toolRegistry = createToolRegistry()
    const onError = vi.fn()
    const conversation = createConversation()
    await expect(
      createAgenticLoop({ acpClient, toolRegistry, conversation }).run(task, { onError }),
    ).rejects.toMatchObject({ code: 'INVALID_ARG' })
    expect(onError).toHaveBeenCalledTimes(1)
    expect(conversation.messages).toEqual([])
    registerSubagentTools(toolRegistry, { acpClient, toolRegistry })
    for (const name of ['subagent_spawn', 'subagent_delegate'])
      expect(
        await toolRegistry.execute({ id: name, name, arguments: { task, description: 'Nothing' } }),
      ).toMatchObject({
        isError: true,
        output: expect.stringContaining('task is empty'),
      })
    expect(acpClient.generate).not.toHaveBeenCalled()
    expect(acpClient.generateStream).not.toHaveBeenCalled()
  })
})
