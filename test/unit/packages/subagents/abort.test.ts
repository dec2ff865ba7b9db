import { describe, expect, it, vi } from 'vitest'
import {
  createAgenticLoop,
  createConversation,
  createToolRegistry,
  registerSubagentTools,
} from '../../../../src/index.ts'
import { verifies } from '../../../requirements.ts'
import {
  callTool,
  COMPLETE,
  createMockACPClient,
  createScriptedClient,
  delta,
} from './mock-client.ts'

const never = () => new Promise<never>(() => {})

describe('aborting a call', () => {
  it(
    verifies('R002-07', 'ends its child’s loop and, below it, the grandchild’s, innermost first'),
    async () => {
      const signals: AbortSignal[] = []
      const started = Promise.withResolvers<void>()
      const acpClient = createScriptedClient(async function* (prompt, options) {
        signals.push(options.signal!)
        yield delta(prompt)
        if (prompt === 'outer')
          await callTool(options, 'subagent_spawn', { task: 'inner', description: 'inner' })
        started.resolve()
        // As an agent that takes no notice.
        await never()
      })
      const reported: string[] = []
      const names = new Map<string, string>()
      const registry = createToolRegistry()
      registerSubagentTools(registry, {
        acpClient,
        toolRegistry: registry,
        callbacks: {
          onSubagentStart: ({ id, description }) => names.set(id, description),
          onSubagentComplete: (id) => reported.push(`complete ${names.get(id)}`),
          onSubagentError: (id, error) => reported.push(`error ${names.get(id)}: ${error.message}`),
        },
      })
      const controller = new AbortController()
      const call = registry.execute(
        {
          id: 'call_1',
          name: 'subagent_spawn',
          arguments: { task: 'outer', description: 'outer' },
        },
        { signal: controller.signal },
      )
      await started.promise
      controller.abort(new Error('the user pressed Escape'))
      expect(await call).toMatchObject({ isError: true, output: 'the user pressed Escape' })
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
      expect(reported).toEqual([
        'error inner: the user pressed Escape',
        'error outer: the user pressed Escape',
      ])
    },
  )

  it('ends one of several, and the others go on', async () => {
    const gate = Promise.withResolvers<void>()
    const acpClient = createScriptedClient(async function* (prompt) {
      await gate.promise
      yield delta(prompt)
      yield COMPLETE
    })
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const controller = new AbortController()
    const spawn = (task: string, signal?: AbortSignal) =>
      registry.execute(
        { id: task, name: 'subagent_spawn', arguments: { task, description: task } },
        { signal },
      )
    const calls = [spawn('a', controller.signal), spawn('b')]
    controller.abort(new Error('enough'))
    expect(await calls[0]).toMatchObject({ isError: true, output: 'enough' })
    gate.resolve()
    expect(await calls[1]).toMatchObject({ isError: false, output: 'b' })
  })

  it('ends a delegation, and reaches the client', async () => {
    const acpClient = createMockACPClient()
    vi.mocked(acpClient.generate).mockImplementation(never)
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const controller = new AbortController()
    const call = registry.execute(
      { id: 'call_1', name: 'subagent_delegate', arguments: { task: 'x', description: 'x' } },
      { signal: controller.signal },
    )
    await vi.waitFor(() => expect(acpClient.generate).toHaveBeenCalled(), 15_000)
    controller.abort(new Error('enough'))
    expect(await call).toMatchObject({ isError: true, output: 'enough' })
    expect(vi.mocked(acpClient.generate).mock.calls[0]![1]?.signal?.aborted).toBe(true)
  })

  it('before it began starts no agent', async () => {
    const acpClient = createMockACPClient()
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const signal = AbortSignal.abort(new Error('too late'))
    const call = {
      id: 'call_1',
      name: 'subagent_spawn',
      arguments: { task: 'x', description: 'x' },
    }
    expect(await registry.execute(call, { signal })).toMatchObject({
      isError: true,
      output: 'too late',
    })
    expect(acpClient.generateStream).not.toHaveBeenCalled()
  })

  it('notifies a handler by its signal, and returns although the handler doesn’t heed it', async () => {
    const registry = createToolRegistry()
    const seen: AbortSignal[] = []
    registry.register(
      { name: 'deaf', description: 'Waits', parameters: {}, category: 'other' },
      (_args, { signal }) => {
        seen.push(signal)
        return never()
      },
    )
    const controller = new AbortController()
    const call = registry.execute(
      { id: 'call_1', name: 'deaf', arguments: {} },
      { signal: controller.signal },
    )
    controller.abort(new Error('enough'))
    expect(await call).toMatchObject({ isError: true, output: 'enough' })
    expect(seen[0]?.aborted).toBe(true)
  })

  it('leaves a loop in order: open calls are reported to their end, and it can run again', async () => {
    const reported: string[] = []
    const acpClient = createScriptedClient(async function* (prompt, options) {
      if (prompt === 'first') await callTool(options, 'slow')
      yield delta('answer')
      yield COMPLETE
    })
    const toolRegistry = createToolRegistry()
    const controller = new AbortController()
    toolRegistry.register(
      { name: 'slow', description: 'Is slow', parameters: {}, category: 'other' },
      async (_args, { signal }) => {
        controller.abort(new Error('enough'))
        signal.throwIfAborted()
        return 'never'
      },
    )
    const conversation = createConversation()
    const loop = createAgenticLoop({ acpClient, toolRegistry, conversation })
    const callbacks = {
      onToolCallStart: () => reported.push('call'),
      onToolCallEnd: () => reported.push('answer'),
      onError: (error: Error) => reported.push(`error: ${error.message}`),
    }
    await expect(loop.run('first', callbacks, { signal: controller.signal })).rejects.toThrow(
      'enough',
    )
    expect(reported).toEqual(['call', 'answer', 'error: enough'])
    expect((await loop.run('second')).finalText).toBe('answer')
  })
})
