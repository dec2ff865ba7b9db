import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createToolRegistry,
  registerSubagentTools,
  type SubagentInfo,
  type ToolRegistry,
} from '../../../../src/index.ts'
import { verifies } from '../../../requirements.ts'
import {
  callTool,
  COMPLETE,
  createMockACPClient,
  createScriptedClient,
  delta,
} from './mock-client.ts'

const spawn = (task: string) => ({
  id: `call_${task}`,
  name: 'subagent_spawn',
  arguments: { task, description: task },
})

/** One tool of each category that programs have. */
function withTools(): ToolRegistry {
  const registry = createToolRegistry()
  for (const category of ['memory', 'vfs', 'task'] as const) {
    registry.register(
      { name: `${category}_read`, description: 'Reads', parameters: {}, category },
      () => `${category} of the parent`,
    )
  }
  return registry
}

describe('nested subagents', () => {
  it(
    verifies('R002-06', 'have their parent’s tools, and those for subagents above the limit'),
    async () => {
      const seen: string[][] = []
      const acpClient = createScriptedClient(async function* (prompt, options) {
        seen.push(options.tools!.definitions().map(({ name }) => name))
        if (prompt === 'outer')
          yield delta(
            (await callTool(options, 'subagent_spawn', { task: 'inner', description: 'inner' }))
              .output,
          )
        else yield delta((await callTool(options, 'memory_read')).output)
        yield COMPLETE
      })
      const registry = withTools()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry })
      const { output } = await registry.execute(spawn('outer'))
      expect(output).toBe('memory of the parent')
      expect(seen).toEqual([
        ['memory_read', 'vfs_read', 'task_read', 'subagent_spawn', 'subagent_delegate'],
        ['memory_read', 'vfs_read', 'task_read'],
      ])
    },
  )

  it(verifies('R002-05', 'are no deeper than the limit, whatever an agent calls'), async () => {
    const acpClient = createScriptedClient(async function* (prompt, options) {
      const { output, isError } = await callTool(options, 'subagent_spawn', {
        task: `${prompt}+`,
        description: 'deeper',
      })
      yield delta(isError ? `${prompt} refused` : output)
      yield COMPLETE
    })
    const registry = createToolRegistry()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, maxDepth: 3 })
    expect((await registry.execute(spawn('x'))).output).toBe('x++ refused')
  })

  it(
    verifies(
      'R002-06',
      'inherit from their own parent, not from the root, and as it is at that moment',
    ),
    async () => {
      const seen: Record<string, string[]> = {}
      const acpClient = createScriptedClient(async function* (prompt, options) {
        seen[prompt] = options.tools!.definitions().map(({ name }) => name)
        if (prompt === 'outer')
          await callTool(options, 'subagent_spawn', { task: 'inner', description: 'inner' })
        yield delta('done')
        yield COMPLETE
      })
      const all = withTools()
      // A caller that may use only some of them.
      const own = createToolRegistry()
      own.register(all.getToolDefinition('vfs_read')!, () => 'vfs')
      registerSubagentTools(all, { acpClient, toolRegistry: own })
      await all.execute(spawn('outer'))
      expect(seen['outer']).toEqual(['vfs_read', 'subagent_spawn', 'subagent_delegate'])
      expect(seen['inner']).toEqual(['vfs_read'])
      own.unregister('vfs_read')
      own.register(all.getToolDefinition('task_read')!, () => 'task')
      await all.execute(spawn('inner'))
      expect(seen['inner']).toEqual(['task_read', 'subagent_spawn', 'subagent_delegate'])
    },
  )

  it('say who started them, and end before their parent does', async () => {
    const reported: string[] = []
    const infos: SubagentInfo[] = []
    const acpClient = createScriptedClient(async function* (prompt, options) {
      if (prompt === 'outer')
        await callTool(options, 'subagent_delegate', { task: 'inner', description: 'inner' })
      yield delta('done')
      yield COMPLETE
    })
    const registry = createToolRegistry()
    const callbacks = {
      onSubagentStart: (info: SubagentInfo) => (
        infos.push(info),
        reported.push(`start ${info.description}`)
      ),
      onSubagentComplete: (id: string) =>
        reported.push(`end ${infos.find((info) => info.id === id)?.description}`),
    }
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
    await registry.execute(spawn('outer'))
    expect(reported).toEqual(['start outer', 'start inner', 'end inner', 'end outer'])
    expect(infos[0]).toEqual({ id: infos[0]!.id, description: 'outer', mode: 'spawn' })
    expect(infos[1]).toEqual({
      id: infos[1]!.id,
      description: 'inner',
      mode: 'delegate',
      parentId: infos[0]!.id,
    })
  })

  it(
    verifies('R002-07', 'and concurrent ones never share an id, and each is reported in order'),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ chunks: fc.nat(4), calls: fc.nat(3), fails: fc.boolean() }), {
            minLength: 1,
            maxLength: 12,
          }),
          async (plans) => {
            const reported = new Map<string, string[]>()
            const report = (id: string, what: string) =>
              reported.set(id, [...(reported.get(id) ?? []), what])
            const acpClient = createScriptedClient(async function* (prompt, options) {
              const { chunks, calls, fails } = plans[Number(prompt)]!
              for (let chunk = 0; chunk < chunks; chunk += 1) yield delta('.')
              await Promise.all(Array.from({ length: calls }, () => callTool(options, 'look')))
              if (fails) throw new Error('failed')
              yield COMPLETE
            })
            const registries = [createToolRegistry(), createToolRegistry()]
            for (const registry of registries) {
              registry.register(
                { name: 'look', description: 'Looks', parameters: {}, category: 'read' },
                async () => 'seen',
              )
              registerSubagentTools(registry, {
                acpClient,
                toolRegistry: registry,
                callbacks: {
                  onSubagentStart: ({ id }) => report(id, 'start'),
                  onSubagentStreamDelta: (id) => report(id, 'delta'),
                  onSubagentToolCallStart: (id, call) => report(id, `call ${call.id}`),
                  onSubagentToolCallEnd: (id, result) => report(id, `answer ${result.id}`),
                  onSubagentComplete: (id) => report(id, 'complete'),
                  onSubagentError: (id) => report(id, 'error'),
                },
              })
            }
            const results = await Promise.all(
              plans.map((_plan, index) => registries[index % 2]!.execute(spawn(String(index)))),
            )
            expect(results.map(({ isError }) => isError)).toEqual(plans.map(({ fails }) => fails))
            expect(reported.size).toBe(plans.length)
            for (const [id, words] of reported) {
              expect(id).toMatch(/^sub_\d+$/)
              expect(words[0]).toBe('start')
              expect(words.filter((word) => word === 'start')).toHaveLength(1)
              expect(words.filter((word) => word === 'complete' || word === 'error')).toEqual([
                words.at(-1),
              ])
              for (const word of words.filter((one) => one.startsWith('answer')))
                expect(words.indexOf(word.replace('answer', 'call'))).toBeGreaterThan(0)
            }
            const totals = [...reported.values()].flat()
            expect(totals.filter((word) => word.startsWith('call')).length).toBe(
              totals.filter((word) => word.startsWith('answer')).length,
            )
          },
        ),
        { numRuns: 60 },
      )
    },
  )

  it('leave the parent’s registry as it was', async () => {
    const registry = withTools()
    registerSubagentTools(registry, { acpClient: createMockACPClient(), toolRegistry: registry })
    const before = registry.getToolDefinitions()
    await registry.execute(spawn('x'))
    expect(registry.getToolDefinitions()).toEqual(before)
  })
})
