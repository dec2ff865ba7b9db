import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codexHooks } from '../../../../../src/adapters/agent-cli/codex/hooks.ts'

/** As codex 0.169.0 said it. */
const SESSION = {
  session_id: '01a200e3-9dda-7072-a9ba-781cd5871a85',
  transcript_path:
    '/home/me/.codex/sessions/2026/11/22/rollout-2026-11-22T01-34-06-01a200e3-9dda-7072-a9ba-781cd5871a85.jsonl',
  cwd: '/repository/.exomonad/worktrees/auth',
  model: 'gpt-6.1-sol',
  permission_mode: 'default',
}
const TURN = { ...SESSION, turn_id: '01a200e3-9e5c-73f3-83dd-ffa86f7908dc' }
const known = { sessionId: SESSION.session_id, transcript: SESSION.transcript_path }
const shell = {
  tool_name: 'Bash',
  tool_input: { command: 'git commit -m x', description: 'The first one' },
}

describe('what Codex’s hooks say', () => {
  it.each([
    ['SessionStart', { ...SESSION, source: 'fork' }, { kind: 'session-start', ...known }],
    [
      'UserPromptSubmit',
      { ...TURN, prompt: 'Go on [m-1]' },
      { kind: 'prompt', prompt: 'Go on [m-1]', ...known },
    ],
    [
      'PreToolUse',
      { ...TURN, tool_name: 'mcp__exomonad__tree', tool_input: {}, tool_use_id: 'call_13' },
      { kind: 'tool-start', tool: 'mcp__exomonad__tree' },
    ],
    [
      'PostToolUse',
      { ...TURN, ...shell, tool_response: 'done\n' },
      { kind: 'tool-end', tool: 'Bash' },
    ],
    [
      'PreToolUse',
      { ...TURN, ...shell, agent_id: '01a2' },
      { kind: 'tool-start', tool: 'Bash', nested: true },
    ],
    [
      'PostToolUse',
      { ...TURN, ...shell, agent_id: '01a2', agent_type: 'worker' },
      { kind: 'tool-end', tool: 'Bash', nested: true },
    ],
    [
      'PermissionRequest',
      { ...TURN, ...shell },
      { kind: 'permission', tool: 'Bash', detail: 'git commit -m x' },
    ],
    [
      'PermissionRequest',
      { ...TURN, tool_name: 'other', tool_input: { path: '/etc' } },
      { kind: 'permission', tool: 'other', detail: '{"path":"/etc"}' },
    ],
    [
      'Stop',
      { ...TURN, stop_hook_active: true, last_assistant_message: 'Done.' },
      { kind: 'stop', again: true, ...known },
    ],
    ['Interrupt', TURN, { kind: 'interrupted' }],
    ['SessionEnd', { ...SESSION, reason: 'other' }, { kind: 'session-end', reason: 'other' }],
    ['SubagentStop', TURN, null],
    ['Stop', { ...TURN, agent_id: '01a2' }, null],
  ])('%s', (event, body, fact) => {
    expect(codexHooks.read(event, { ...body, hook_event_name: event })).toEqual(fact)
  })

  it('is read without harm where it is anything else', () => {
    const event = fc.oneof(
      fc.constantFrom(
        'SessionStart',
        'PreToolUse',
        'PostToolUse',
        'PermissionRequest',
        'Stop',
        'SessionEnd',
      ),
      fc.string(),
    )
    const body = fc.dictionary(
      fc.constantFrom(
        'session_id',
        'tool_name',
        'tool_input',
        'prompt',
        'agent_id',
        'stop_hook_active',
        'reason',
      ),
      fc.anything(),
    )
    fc.assert(fc.property(event, body, (name, said) => void codexHooks.read(name, said)))
  })
})

describe('what Codex’s hooks are answered', () => {
  it.each([
    [
      'PostToolUse',
      { kind: 'context', text: 'Mail.' },
      { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Mail.' } },
    ],
    [
      'UserPromptSubmit',
      { kind: 'context', text: 'Mail.' },
      { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Mail.' } },
    ],
    ['Stop', { kind: 'block', reason: 'File it.' }, { decision: 'block', reason: 'File it.' }],
    ['Stop', { kind: 'none' }, null],
    ['Interrupt', { kind: 'context', text: 'Mail.' }, null],
    [
      'PermissionRequest',
      { kind: 'permission', decision: 'allow' },
      {
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
      },
    ],
    [
      'PermissionRequest',
      { kind: 'permission', decision: 'deny', reason: 'Not that.' },
      {
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: 'Not that.' },
        },
      },
    ],
    ['PreToolUse', { kind: 'permission', decision: 'allow' }, null],
  ] as const)('%s: %j', (event, outcome, answer) => {
    expect(codexHooks.answer(event, outcome)).toEqual(answer)
  })

  it('carries text where Codex shows it to its model', () => {
    expect(
      ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'Interrupt'].filter(
        (event) => codexHooks.carries(event),
      ),
    ).toEqual(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])
  })
})
