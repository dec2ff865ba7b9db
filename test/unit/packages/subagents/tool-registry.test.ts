import { describe, expect, it } from 'vitest'
import {
  createConversation,
  createToolRegistry,
  type ToolDefinition,
} from '../../../../src/index.ts'
import { firstPrompt } from '../../../../packages/subagents/src/client/first-prompt.ts'
import { inputSchema } from '../../../../packages/subagents/src/mcp/input-schema.ts'

const ADD: ToolDefinition = {
  name: 'add',
  description: 'Adds',
  parameters: {
    a: { type: 'number', description: 'One', required: true },
    b: { type: 'integer', description: 'Other' },
    base: { type: 'string', description: 'Base', enum: ['ten', 'two'] },
    more: { type: 'array', description: 'More', items: { type: 'number' } },
  },
  category: 'other',
}
const call = (name: string, args: Record<string, unknown>) => ({
  id: 'call_1',
  name,
  arguments: args,
})

describe('a tool registry', () => {
  it('runs tools by name', async () => {
    const registry = createToolRegistry({
      tools: [{ definition: ADD, handler: ({ a, b = 0 }) => String(Number(a) + Number(b)) }],
    })
    expect(await registry.execute(call('add', { a: 1, b: 2 }))).toEqual({
      id: 'call_1',
      name: 'add',
      output: '3',
      isError: false,
      durationMs: expect.any(Number),
    })
    expect(registry.has('add')).toBe(true)
    expect(registry.toolCount).toBe(1)
    expect(registry.unregister('add')).toBe(true)
    expect(registry.unregister('add')).toBe(false)
    expect(registry.getToolDefinition('add')).toBeUndefined()
  })

  it.each([
    ['an unknown tool', 'sub', { a: 1 }, 'There is no tool named sub: there are add.'],
    ['a missing argument', 'add', { b: 1 }, 'add needs a (number): One'],
    ['a wrong type', 'add', { a: '1' }, 'a of add must be of type number: One'],
    ['no integer', 'add', { a: 1, b: 0.5 }, 'b of add must be of type integer: Other'],
    ['another value', 'add', { a: 1, base: 'six' }, 'base of add must be one of ten, two.'],
    ['no array', 'add', { a: 1, more: {} }, 'more of add must be of type array: More'],
    ['what the handler throws', 'add', { a: 13 }, 'unlucky'],
  ])('answers %s with an error', async (_what, name, args, output) => {
    const registry = createToolRegistry()
    registry.register(ADD, () => {
      throw new Error('unlucky')
    })
    expect(await registry.execute(call(name, args))).toMatchObject({ isError: true, output })
  })

  it('refuses a name that is taken, and one that no agent could call', () => {
    const registry = createToolRegistry()
    registry.register(ADD, () => '')
    expect(() => registry.register(ADD, () => '')).toThrow('There is a tool named add already')
    expect(() => registry.register({ ...ADD, name: 'add numbers' }, () => '')).toThrow(
      'A tool cannot be named "add numbers"',
    )
  })

  it('describes parameters as JSON Schema', () => {
    expect(inputSchema(ADD.parameters)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'number', description: 'One' },
        b: { type: 'integer', description: 'Other' },
        base: { type: 'string', description: 'Base', enum: ['ten', 'two'] },
        more: { type: 'array', description: 'More', items: { type: 'number' } },
      },
      required: ['a'],
    })
  })
})

describe('a conversation', () => {
  it('keeps what was said, as copies', () => {
    const conversation = createConversation({ messages: [{ role: 'user', content: 'hello' }] })
    conversation.addAssistant('hi')
    conversation.addAssistant('')
    conversation.addToolResult('look', 'seen')
    expect(conversation.messages).toEqual([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'tool', content: 'seen', toolName: 'look' },
    ])
    ;(conversation.messages as unknown[]).push('nothing')
    expect(conversation.messageCount).toBe(3)
    conversation.setSystemPrompt('Be brief.')
    expect(conversation.systemPrompt).toBe('Be brief.')
    conversation.clear()
    expect(conversation.messageCount).toBe(0)
  })

  it('is described in words in front of a session’s first prompt', () => {
    expect(firstPrompt('Now this.', undefined)).toBe('Now this.')
    expect(firstPrompt('Now this.', 'Be brief.')).toBe('Be brief.\n\nNow this.')
    const history = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ] as const
    expect(firstPrompt('Now this.', 'Be brief.', history)).toBe(
      'Be brief.\n\nBe kind.\n\nWhat was said before:\n\n[user]\nHello\n\n[assistant]\nHi\n\nWhat is asked now:\n\nNow this.',
    )
  })
})
