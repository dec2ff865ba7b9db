import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serversFor } from '../../../../../packages/subagents/src/acp/connection.ts'
import { offersOf, withOptions } from '../../../../../packages/subagents/src/acp/offers.ts'
import { readTool, readUpdate } from '../../../../../packages/subagents/src/acp/updates.ts'

const text = (words: string) => ({ type: 'text', text: words })

describe('what agents say', () => {
  it('reads text, thoughts and a person’s words', () => {
    expect(readUpdate({ sessionUpdate: 'agent_message_chunk', content: text('hello') })).toEqual({
      kind: 'message',
      text: 'hello',
    })
    expect(readUpdate({ sessionUpdate: 'agent_thought_chunk', content: text('hm') })).toEqual({
      kind: 'thought',
      text: 'hm',
    })
    expect(readUpdate({ sessionUpdate: 'user_message_chunk', content: text('do it') })).toEqual({
      kind: 'user',
      text: 'do it',
    })
    expect(
      readUpdate({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      }),
    ).toEqual({
      kind: 'message',
      text: '[image]',
    })
  })

  it('reads what a tool call is about, whatever the agent calls its input', () => {
    expect(
      readTool({
        toolCallId: '1',
        title: 'Run',
        kind: 'execute',
        rawInput: { command: ['git', 'status'] },
      }).detail,
    ).toBe('git status')
    expect(readTool({ toolCallId: '1', rawInput: { filePath: '/a/b' } }).detail).toBe('/a/b')
    expect(readTool({ toolCallId: '1', locations: [{ path: '/c' }] }).detail).toBe('/c')
    expect(readTool({ toolCallId: '1', rawInput: { depth: 2 } }).detail).toBe('{"depth":2}')
    expect(readTool({ toolCallId: '1' }).detail).toBeNull()
    expect(readTool({ toolCallId: '1', rawInput: 'x'.repeat(9000) }).detail).toHaveLength(2000)
    expect(readTool({ toolCallId: '1', title: 'x'.repeat(9000) }).title).toHaveLength(2000)
  })

  it('reads its result from contents, changes and what the tool answered', () => {
    const content = [
      { type: 'content', content: text('one') },
      { type: 'diff', path: '/a', newText: 'x' },
      { type: 'terminal', terminalId: 't' },
    ]
    expect(readTool({ toolCallId: '1', content }).output).toBe('one\nchanged /a')
    expect(readTool({ toolCallId: '1', rawOutput: { output: 'said' } }).output).toBe('said')
    expect(readTool({ toolCallId: '1', rawOutput: { ok: true } }).output).toBe('{"ok":true}')
    expect(readTool({ toolCallId: '1', status: 'strange' })).toMatchObject({
      status: null,
      output: null,
    })
  })

  it('makes something of anything', () => {
    expect(readUpdate({ sessionUpdate: 'tool_call', title: 'without an id' })).toEqual({
      kind: 'other',
      name: 'tool_call',
    })
    expect(readUpdate({ sessionUpdate: 'from_the_future', x: 1 })).toEqual({
      kind: 'other',
      name: 'from_the_future',
    })
    const names = [
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'plan',
      'available_commands_update',
      'current_mode_update',
      'usage_update',
      'notice',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), (sessionUpdate, value) => {
        const fields =
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? value
            : { content: value, entries: value, title: value, toolCallId: 'x' }
        expect(readUpdate({ ...fields, sessionUpdate }).kind).toBeTypeOf('string')
      }),
    )
    fc.assert(fc.property(fc.jsonValue(), (value) => readUpdate(value).kind === 'other'))
  })
})

describe('what a session offers', () => {
  const select = {
    type: 'select',
    id: 'm',
    name: 'Model',
    category: 'model',
    currentValue: 'a',
    options: [{ value: 'a', name: 'A' }, { value: 'b' }],
  }

  it('is read from config options, in groups as well, and from what was there before them', () => {
    expect(offersOf({ configOptions: [select] })).toMatchObject({
      models: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'b' },
      ],
      model: 'a',
      modelBy: { kind: 'option', configId: 'm' },
      modes: [],
      modeBy: null,
    })
    const grouped = {
      ...select,
      options: [{ group: 'g', name: 'G', options: [{ value: 'c', name: 'C' }] }],
    }
    expect(offersOf({ configOptions: [grouped] }).models).toEqual([{ id: 'c', name: 'C' }])
    const before = {
      models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'X' }] },
      modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
    }
    expect(offersOf(before)).toMatchObject({
      models: [{ id: 'x' }],
      model: 'x',
      modelBy: { kind: 'method' },
      modes: [{ id: 'ask' }],
      modeBy: { kind: 'method' },
    })
  })

  it('is nothing where it says nothing or nonsense', () => {
    for (const answer of [undefined, null, 7, [], { configOptions: 'x', models: [], modes: 3 }]) {
      expect(offersOf(answer)).toEqual({
        models: [],
        model: null,
        modelBy: null,
        modes: [],
        mode: null,
        modeBy: null,
      })
    }
  })

  it('changes with the options', () => {
    const offers = withOptions(offersOf({ configOptions: [select] }), [
      { ...select, currentValue: 'b' },
    ])
    expect(offers).toMatchObject({ model: 'b', models: [{ id: 'a' }, { id: 'b' }] })
    expect(withOptions(offers, [])).toEqual(offers)
  })
})

describe('servers for a session', () => {
  const http = {
    type: 'http' as const,
    name: 'exomonad',
    url: 'http://127.0.0.1:1/mcp',
    headers: [],
  }
  const stdio = {
    type: 'stdio' as const,
    name: 'exomonad',
    command: 'exomonad',
    args: ['mcp'],
    env: [],
  }
  const plain = { name: 'exomonad', command: 'exomonad', args: ['mcp'], env: [] }

  it('go over HTTP where the agent can, else on stdio, each once', () => {
    expect(serversFor([http, stdio], true)).toEqual([http])
    expect(serversFor([http, stdio], false)).toEqual([plain])
    expect(serversFor([stdio, { ...stdio, name: 'other' }], true)).toEqual([
      plain,
      { ...plain, name: 'other' },
    ])
  })
})
