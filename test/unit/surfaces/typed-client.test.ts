import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { TreeView } from '../../../src/core/agents/tree-document.ts'
import { withTypedCalls, type Client } from '../../../src/surfaces/client.ts'
import type { ToolInput, ToolName, ToolResult } from '../../../src/tools/types.ts'
import { CLIENT_EXAMPLE, clientExample } from './client-example.ts'

/** What it is called with, and no daemon. */
function listening() {
  const calls: unknown[][] = []
  const nothing = () => Promise.reject(new Error('not asked for'))
  const client = withTypedCalls({
    callTool: async (...call) => {
      calls.push(call)
      return { killed: ['id-1'] }
    },
    get: nothing,
    hook: nothing,
    events: () => {
      throw new Error('not asked for')
    },
  })
  return { client, calls }
}

// The compiler is what tests most of this file: `tsc -p tsconfig.json`.
describe('a call by the name of its tool', () => {
  it('is the call that a name known at run time makes', async () => {
    const { client, calls } = listening()
    const { signal } = new AbortController()
    const { killed } = await client.call('kill', { agent: 'auth' }, { signal })
    expect(killed).toEqual(['id-1'])
    expect(await client.callTool('kill', { agent: 'auth' }, { signal })).toEqual({ killed })
    expect(calls).toEqual(Array(2).fill(['kill', { agent: 'auth' }, { signal }]))
  })

  it('has the types of the tool’s schemas', () => {
    expectTypeOf<'spawn_agents'>().toExtend<ToolName>()
    expectTypeOf<ToolName>().not.toEqualTypeOf<string>()
    expectTypeOf<ToolResult<'kill'>>().toEqualTypeOf<{ killed: string[] }>()
    expectTypeOf<ToolResult<'tree'>>().toEqualTypeOf<TreeView>()
    // Defaults may be left out, and lists be the caller’s own.
    expectTypeOf<{ pr_number: number }>().toExtend<ToolInput<'merge_pr'>>()
    expectTypeOf<{ readonly ids: readonly string[] }>().toExtend<ToolInput<'ack'>>()
    expectTypeOf<ToolInput<'send' | 'send_raw'>>().toExtend<ToolInput<'send'>>()
    expectTypeOf<Client['callTool']>().returns.resolves.toBeUnknown()
  })

  it('does not compile with another name, input or result', () => {
    const wrong = async ({ call, callTool }: Client): Promise<void> => {
      // @ts-expect-error -- no tool has this name
      await call('spawn_worker', { specs: [] })
      // @ts-expect-error -- nor any text
      await call('kill' as string, { agent: 'auth' })
      // @ts-expect-error -- an argument is missing
      await call('kill', {})
      // @ts-expect-error -- an argument that it does not take
      await call('kill', { agent: 'auth', force: true })
      // @ts-expect-error -- text is no number
      await call('pr_show', { pr_number: '3' })
      // @ts-expect-error -- none of its states
      await call('pr_list', { state: 'stale' })
      // @ts-expect-error -- deep inside
      await call('spawn_workers', { specs: [{ name: 'auth' }] })
      // @ts-expect-error -- it suits one of the two alone
      await call(Math.random() < 0.5 ? 'kill' : 'pr_show', { agent: 'auth' })
      // @ts-expect-error -- the result has no such field
      void (await call('kill', { agent: 'auth' })).ended
      // @ts-expect-error -- what it returns may be anything
      void (await callTool('kill', { agent: 'auth' })).killed
    }
    expect(wrong).toBeTypeOf('function')
  })
})

describe('the example of the client', () => {
  it('is what src/index.ts begins with', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../src/index.ts'), 'utf8')
    const lines = source.split('\n').filter((line) => line.startsWith(' *   '))
    expect(lines.map((line) => `${line.slice(5)}\n`).join('')).toBe(CLIENT_EXAMPLE)
  })

  it('runs as far as there is a daemon', async () => {
    await expect(clientExample('/nowhere/daemon.sock', 'token')).rejects.toMatchObject({
      code: 'DAEMON_UNAVAILABLE',
    })
  })
})
