import type { HookDialect, HookFact } from '../hook-dialect.ts'

/**
 * Codex’s hooks that exomonad sets up, with its names of them in the state of its configuration.
 */
export const CODEX_EVENTS = {
  SessionStart: 'session_start',
  UserPromptSubmit: 'user_prompt_submit',
  PreToolUse: 'pre_tool_use',
  PostToolUse: 'post_tool_use',
  PermissionRequest: 'permission_request',
  Stop: 'stop',
  Interrupt: 'interrupt',
  SessionEnd: 'session_end',
} as const

type Body = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function session(body: Body): { sessionId?: string; transcript?: string } {
  const sessionId = text(body['session_id'])
  const transcript = text(body['transcript_path'])
  return {
    ...(sessionId === '' ? {} : { sessionId }),
    ...(transcript === '' ? {} : { transcript }),
  }
}

/** What it would do: the command, or the whole input. */
function detail(input: unknown): string {
  if (typeof input !== 'object' || input === null) return text(input)
  const { command } = input as Body
  return text(command) || JSON.stringify(input)
}

/** A subagent of Codex’s own works in the same program, under an id beside the session’s. */
const isNested = (body: Body): boolean => text(body['agent_id']) !== ''

function read(event: string, body: Body): HookFact | null {
  const tool = text(body['tool_name'])
  const nested = isNested(body)
  switch (event) {
    case 'PreToolUse':
      return { kind: 'tool-start', tool, ...(nested ? { nested } : {}) }
    case 'PostToolUse':
      return { kind: 'tool-end', tool, ...(nested ? { nested } : {}) }
    case 'PermissionRequest':
      return { kind: 'permission', tool, detail: detail(body['tool_input']) }
  }
  if (nested) return null
  switch (event) {
    case 'SessionStart':
      return { kind: 'session-start', ...session(body) }
    case 'UserPromptSubmit':
      return { kind: 'prompt', prompt: text(body['prompt']), ...session(body) }
    case 'Stop':
      return { kind: 'stop', again: body['stop_hook_active'] === true, ...session(body) }
    case 'Interrupt':
      return { kind: 'interrupted' }
    case 'SessionEnd':
      return { kind: 'session-end', reason: text(body['reason']) || 'ended' }
    default:
      return null
  }
}

const CARRYING: readonly string[] = ['SessionStart', 'UserPromptSubmit', 'PostToolUse']

export const codexHooks: HookDialect = {
  read,
  carries: (event) => CARRYING.includes(event),
  answer: (event, outcome) => {
    switch (outcome.kind) {
      case 'none':
        return null
      case 'context':
        return CARRYING.includes(event)
          ? { hookSpecificOutput: { hookEventName: event, additionalContext: outcome.text } }
          : null
      case 'block':
        return event === 'Stop' ? { decision: 'block', reason: outcome.reason } : null
      case 'permission': {
        if (event !== 'PermissionRequest') return null
        const { decision: behavior, reason } = outcome
        const message = reason ?? 'A person said no.'
        return {
          hookSpecificOutput: {
            hookEventName: event,
            decision: behavior === 'allow' ? { behavior } : { behavior, message },
          },
        }
      }
    }
  },
}
