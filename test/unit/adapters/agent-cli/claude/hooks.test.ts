import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONTEXT_LIMIT,
  HOOK_TIMEOUTS,
  claudeHooks,
} from '../../../../../src/adapters/agent-cli/claude/hooks.ts'

/** As Claude Code 2.1.330 said it. */
const SESSION = {
  session_id: '11111111-2222-4333-8444-555555555555',
  transcript_path:
    '/home/me/.claude/projects/-repository/11111111-2222-4333-8444-555555555555.jsonl',
  cwd: '/repository/.exomonad/worktrees/auth',
}
const TURN = {
  ...SESSION,
  prompt_id: '3bff5e9d-be7e-4251-ab8d-0da74eaace8c',
  permission_mode: 'default',
  effort: { level: 'medium' },
}
const known = { sessionId: SESSION.session_id, transcript: SESSION.transcript_path }
const bash = {
  tool_name: 'Bash',
  tool_input: { command: 'git commit -m x', description: 'The first one' },
  tool_use_id: 'toolu_1',
}

describe('what Claude Code’s hooks say', () => {
  it.each([
    [
      'SessionStart',
      { ...SESSION, source: 'startup', model: 'opus' },
      { kind: 'session-start', ...known },
    ],
    [
      'SessionStart',
      { ...SESSION, source: 'fork', context_tokens: 1050 },
      { kind: 'session-start', ...known },
    ],
    ['SessionStart', { ...SESSION, source: 'compact' }, null],
    [
      'UserPromptSubmit',
      { ...TURN, prompt: 'Go on [m-1]' },
      { kind: 'prompt', prompt: 'Go on [m-1]', ...known },
    ],
    ['PreToolUse', { ...TURN, ...bash }, { kind: 'tool-start', tool: 'Bash' }],
    [
      'PostToolUse',
      { ...TURN, ...bash, tool_response: {}, duration_ms: 36 },
      { kind: 'tool-end', tool: 'Bash', settles: { detail: 'git commit -m x' } },
    ],
    [
      'PreToolUse',
      { ...TURN, ...bash, agent_id: 'ab20378c05fcf25e8' },
      { kind: 'tool-start', tool: 'Bash', nested: true },
    ],
    [
      'PostToolUse',
      { ...TURN, ...bash, agent_id: 'ab20378c05fcf25e8', agent_type: 'general-purpose' },
      {
        kind: 'tool-end',
        tool: 'Bash',
        nested: true,
        settles: { detail: 'git commit -m x' },
      },
    ],
    [
      'PostToolUseFailure',
      { ...TURN, ...bash, error: 'Exit code 3' },
      { kind: 'tool-end', tool: 'Bash', settles: { detail: 'git commit -m x' } },
    ],
    [
      'PermissionRequest',
      { ...TURN, ...bash, permission_suggestions: [] },
      { kind: 'permission', tool: 'Bash', detail: 'git commit -m x' },
    ],
    [
      'PermissionRequest',
      { ...TURN, tool_name: 'Edit', tool_input: { file_path: '/a', old_string: 'x' } },
      { kind: 'permission', tool: 'Edit', detail: '/a' },
    ],
    [
      'PermissionRequest',
      { ...TURN, tool_name: 'mcp__x__y', tool_input: { a: 1 } },
      { kind: 'permission', tool: 'mcp__x__y', detail: '{"a":1}' },
    ],
    [
      'PermissionRequest',
      {
        ...TURN,
        tool_name: 'AskUserQuestion',
        tool_input: { questions: [{ question: 'Which?', options: [] }] },
      },
      { kind: 'waiting', reason: 'it asks in its terminal: Which?' },
    ],
    [
      'Notification',
      { ...TURN, message: 'Claude needs your permission', notification_type: 'permission_prompt' },
      { kind: 'waiting', reason: 'Claude needs your permission' },
    ],
    [
      'Notification',
      { ...TURN, message: 'Claude is waiting for your input', notification_type: 'idle_prompt' },
      null,
    ],
    [
      'Stop',
      { ...TURN, stop_hook_active: false, background_tasks: [] },
      { kind: 'stop', again: false, waits: [], ...known },
    ],
    [
      'Stop',
      {
        ...TURN,
        background_tasks: [
          { id: 'b1', type: 'shell', status: 'running', description: '', command: 'npm  test\n' },
          { id: 'b2', type: 'subagent', description: 'Look around', agent_type: 'Explore' },
          'odd',
        ],
        session_crons: [
          { id: 'c1', schedule: '*/5 * * * *', recurring: true, prompt: 'Check' },
          { id: 'c2', prompt: 'x'.repeat(200) },
          {},
        ],
      },
      {
        kind: 'stop',
        again: false,
        waits: [
          'a background task: npm test',
          'a background task: Look around',
          'a wake-up it asked for: */5 * * * *',
          `a wake-up it asked for: ${'x'.repeat(80)}…`,
          'a wake-up it asked for',
        ],
        scheduled: true,
        ...known,
      },
    ],
    ['Stop', { ...TURN, stop_hook_active: true }, { kind: 'stop', again: true, ...known }],
    ['StopFailure', { ...TURN, error: 'rate_limit' }, { kind: 'interrupted' }],
    [
      'SessionEnd',
      { ...SESSION, reason: 'prompt_input_exit' },
      { kind: 'session-end', reason: 'prompt_input_exit' },
    ],
    ['SessionEnd', { ...SESSION, reason: 'clear' }, null],
    ['SubagentStop', { ...TURN }, null],
  ])('%s', (event, body, fact) => {
    expect(claudeHooks.read(event, { ...body, hook_event_name: event })).toEqual(fact)
  })

  it('is read without harm where it is anything else', () => {
    const event = fc.oneof(fc.constantFrom(...Object.keys(HOOK_TIMEOUTS)), fc.string())
    const body = fc.dictionary(
      fc.constantFrom(
        'session_id',
        'source',
        'tool_name',
        'tool_input',
        'prompt',
        'agent_id',
        'stop_hook_active',
        'reason',
        'notification_type',
        'message',
      ),
      fc.anything(),
    )
    fc.assert(fc.property(event, body, (name, said) => void claudeHooks.read(name, said)))
  })
})

describe('what Claude Code’s hooks are answered', () => {
  it.each(['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop'])(
    '%s carries text to the model',
    (hookEventName) => {
      expect(claudeHooks.carries(hookEventName)).toBe(true)
      expect(claudeHooks.answer(hookEventName, { kind: 'context', text: 'A message' })).toEqual({
        hookSpecificOutput: { hookEventName, additionalContext: 'A message' },
      })
    },
  )

  it('holds at the stop by words that the model reads once; by a block where they are too long for that', () => {
    expect(claudeHooks.answer('Stop', { kind: 'block', reason: 'File a pull request' })).toEqual({
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'File a pull request' },
    })
    const reason = 'x'.repeat(CONTEXT_LIMIT + 1)
    expect(claudeHooks.answer('Stop', { kind: 'block', reason })).toEqual({
      decision: 'block',
      reason,
    })
    expect(claudeHooks.answer('PostToolUse', { kind: 'block', reason })).toBeNull()
  })

  it('answers a permission question, and only there', () => {
    const answer = (outcome: Parameters<typeof claudeHooks.answer>[1]) =>
      claudeHooks.answer('PermissionRequest', outcome)
    const decided = (decision: object) => ({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
    })
    expect(answer({ kind: 'permission', decision: 'allow' })).toEqual(
      decided({ behavior: 'allow' }),
    )
    expect(answer({ kind: 'permission', decision: 'deny', reason: 'Not on main' })).toEqual(
      decided({ behavior: 'deny', message: 'Not on main' }),
    )
    expect(answer({ kind: 'permission', decision: 'deny' })).toEqual(
      decided({ behavior: 'deny', message: expect.any(String) }),
    )
    expect(answer({ kind: 'none' })).toBeNull()
    expect(claudeHooks.answer('PreToolUse', { kind: 'permission', decision: 'allow' })).toBeNull()
  })
})
