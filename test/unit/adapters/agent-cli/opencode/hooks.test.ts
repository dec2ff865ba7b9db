import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCodeHooks } from '../../../../../src/adapters/agent-cli/opencode/hooks.ts'

const { read, answer, carries } = openCodeHooks

describe('what the plugin in OpenCode says', () => {
  it('is read as facts', () => {
    expect(read('plugin.started', {})).toEqual({ kind: 'session-start' })
    expect(read('chat.message', { sessionID: 'ses_1', prompt: 'Do it\n[m-0123456789ab]' })).toEqual(
      {
        kind: 'prompt',
        prompt: 'Do it\n[m-0123456789ab]',
        sessionId: 'ses_1',
      },
    )
    expect(read('tool.execute.before', { tool: 'bash' })).toEqual({
      kind: 'tool-start',
      tool: 'bash',
    })
    expect(read('tool.execute.after', { tool: 'bash' })).toEqual({ kind: 'tool-end', tool: 'bash' })
    expect(read('tool.execute.after', { tool: 'bash', nested: true })).toEqual({
      kind: 'tool-end',
      tool: 'bash',
      nested: true,
    })
    expect(read('session.idle', { sessionID: 'ses_1', again: true })).toEqual({
      kind: 'stop',
      again: true,
      sessionId: 'ses_1',
    })
    expect(read('session.aborted', { sessionID: 'ses_1' })).toEqual({ kind: 'interrupted' })
    expect(read('session.error', { message: 'no credit' })).toEqual({
      kind: 'waiting',
      reason: 'its turn failed: no credit',
    })
    expect(read('message.part.updated', {})).toBeNull()
  })

  it('reports which permission is asked, and that the question is off the table', () => {
    const asked = read('permission.asked', { id: 'per_1', tool: 'bash', detail: 'rm -rf build' })
    expect(asked).toEqual({ kind: 'permission', tool: 'bash', detail: 'rm -rf build', id: 'per_1' })
    expect(read('permission.replied', { id: 'per_1', tool: 'bash' })).toEqual({
      kind: 'tool-end',
      tool: 'bash',
      settles: { id: 'per_1' },
    })
    expect(read('question.asked', { question: 'Which?' })).toEqual({
      kind: 'waiting',
      reason: 'it asks in its terminal: Which?',
    })
  })

  it('is answered with the reason not to stop, and nothing else', () => {
    expect(answer('session.idle', { kind: 'block', reason: 'Commit.' })).toEqual({
      decision: 'block',
      reason: 'Commit.',
    })
    expect(answer('session.idle', { kind: 'none' })).toBeNull()
    expect(answer('tool.execute.after', { kind: 'context', text: 'x' })).toBeNull()
    // By its server.
    expect(answer('permission.asked', { kind: 'permission', decision: 'allow' })).toBeNull()
    expect(carries('tool.execute.after')).toBe(false)
  })

  it('may be anything', () => {
    const event = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'chat.message',
        'session.idle',
        'permission.asked',
        'question.asked',
        'session.error',
      ),
    )
    fc.assert(
      fc.property(
        event,
        fc.dictionary(
          fc.constantFrom('sessionID', 'prompt', 'tool', 'id', 'message', 'again'),
          fc.anything(),
        ),
        (name, body) => {
          const fact = read(name, body)
          for (const value of Object.values(fact ?? {}))
            expect(['string', 'boolean']).toContain(typeof value)
        },
      ),
    )
  })
})
