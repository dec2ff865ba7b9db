import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GEMINI_EVENTS, geminiHooks } from '../../../../../src/adapters/agent-cli/gemini/hooks.ts'

const base = { session_id: 's-1', transcript_path: '/chats/s-1.jsonl', cwd: '/repo' }
const session = { sessionId: 's-1', transcript: '/chats/s-1.jsonl' }
const read = (event: string, body: object) => geminiHooks.read(event, { ...base, ...body })

describe('what Gemini CLI’s hooks say', () => {
  it('reports the session at its start, and its file where it stays in it', () => {
    expect(read('SessionStart', { source: 'startup' })).toEqual({
      kind: 'session-start',
      ...session,
    })
    expect(read('SessionStart', { source: 'resume' })).toEqual({
      kind: 'session-start',
      sessionId: 's-1',
    })
  })

  it('reports prompts, tools and the end of a turn', () => {
    expect(read('BeforeAgent', { prompt: 'Do it [m-0123456789ab]' })).toEqual({
      kind: 'prompt',
      prompt: 'Do it [m-0123456789ab]',
      ...session,
    })
    expect(read('BeforeTool', { tool_name: 'run_shell_command' })).toEqual({
      kind: 'tool-start',
      tool: 'run_shell_command',
    })
    expect(read('AfterTool', { tool_name: 'run_shell_command' })).toEqual({
      kind: 'tool-end',
      tool: 'run_shell_command',
    })
    expect(read('AfterAgent', { prompt_response: 'Done.', stop_hook_active: false })).toEqual({
      kind: 'stop',
      again: false,
      ...session,
    })
    expect(read('AfterAgent', { prompt_response: 'Done.', stop_hook_active: true })).toEqual({
      kind: 'stop',
      again: true,
      ...session,
    })
  })

  it('takes a turn without any answer for one that was broken off', () => {
    expect(
      read('AfterAgent', { prompt_response: '[no response text]', stop_hook_active: false }),
    ).toEqual({ kind: 'interrupted' })
  })

  it('reports what a permission dialog asks', () => {
    const details = { type: 'exec', title: 'Confirm Shell Command', command: 'rm -r build' }
    expect(
      read('Notification', { notification_type: 'ToolPermission', message: 'Tool …', details }),
    ).toEqual({
      kind: 'waiting',
      reason: 'asks in its terminal: Confirm Shell Command: rm -r build',
    })
    expect(read('Notification', { notification_type: 'Other', message: 'Hello' })).toBeNull()
  })

  it('reports the end of the program, not of a session that another follows', () => {
    expect(read('SessionEnd', { reason: 'exit' })).toEqual({ kind: 'session-end', reason: 'exit' })
    expect(read('SessionEnd', { reason: 'clear' })).toBeNull()
  })

  it('takes any body of any event', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...GEMINI_EVENTS), fc.string()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (event, body) => {
          geminiHooks.read(event, body as Record<string, unknown>)
        },
      ),
    )
  })
})

describe('what Gemini CLI’s hooks are answered', () => {
  it('has text for the model after tools and with prompts', () => {
    for (const event of ['AfterTool', 'BeforeAgent']) {
      expect(geminiHooks.carries(event)).toBe(true)
      expect(geminiHooks.answer(event, { kind: 'context', text: '[NOTE] hello' })).toEqual({
        hookSpecificOutput: { hookEventName: event, additionalContext: '[NOTE] hello' },
      })
    }
    for (const event of [
      'SessionStart',
      'BeforeTool',
      'Notification',
      'AfterAgent',
      'SessionEnd',
    ]) {
      expect(geminiHooks.carries(event)).toBe(false)
      expect(geminiHooks.answer(event, { kind: 'context', text: 'x' })).toBeNull()
    }
  })

  it('holds a stop, and takes the reason that comes back as a prompt for no prompt and no proof', () => {
    const answer = geminiHooks.answer('AfterAgent', {
      kind: 'block',
      reason: '[MESSAGE] word [m-0123456789ab]',
    })
    expect(answer).toEqual({
      decision: 'block',
      reason: expect.stringContaining('[MESSAGE] word [m-0123456789ab]'),
    })
    expect(read('BeforeAgent', { prompt: answer?.['reason'] })).toBeNull()
  })

  it('has nothing to say to what it can’t answer', () => {
    for (const event of GEMINI_EVENTS) {
      expect(geminiHooks.answer(event, { kind: 'none' })).toBeNull()
      expect(geminiHooks.answer(event, { kind: 'permission', decision: 'allow' })).toBeNull()
    }
  })
})
