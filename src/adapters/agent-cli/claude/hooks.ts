import type { HookDialect, HookFact, HookOutcome } from '../hook-dialect.ts'
import { isObject } from './home.ts'

/**
 * More characters of a hook’s context than this are kept in a file, and the model sees the
 * beginning. It says 10,000; measured with some to spare.
 */
export const CONTEXT_LIMIT = 9_900

/** The events exomonad subscribes to, with what each is allowed to take (seconds). */
export const HOOK_TIMEOUTS = {
  SessionStart: 10,
  UserPromptSubmit: 10,
  PreToolUse: 10,
  PostToolUse: 10,
  PostToolUseFailure: 10,
  PermissionRequest: 10,
  Notification: 10,
  // The hook itself keeps to stop.timeout.
  Stop: 3600,
  StopFailure: 10,
  SessionEnd: 5,
} as const

const CARRIERS = new Set(['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop'])

type Body = Readonly<Record<string, unknown>>

const text = (body: Body, key: string): string => (typeof body[key] === 'string' ? body[key] : '')

function session(body: Body): { sessionId?: string; transcript?: string } {
  const sessionId = text(body, 'session_id')
  const transcript = text(body, 'transcript_path')
  return {
    ...(sessionId === '' ? {} : { sessionId }),
    ...(transcript === '' ? {} : { transcript }),
  }
}

/** What a person needs to decide about a call: the command, the file, or all of it. */
function detail(input: unknown): string {
  if (!isObject(input)) return ''
  for (const key of ['command', 'file_path', 'url', 'plan'])
    if (typeof input[key] === 'string') return input[key]
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

function question(input: unknown): string {
  const asked =
    isObject(input) && Array.isArray(input['questions']) ? (input['questions'] as unknown[]) : []
  const words = asked
    .map((one) => (isObject(one) && typeof one['question'] === 'string' ? one['question'] : ''))
    .filter((word) => word !== '')
  return words.length === 0
    ? 'it asks a question in its terminal'
    : `it asks in its terminal: ${words.join(' ')}`
}

/** Characters of a command or a prompt that are shown. */
const SHOWN = 80
const shortened = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line
}

/**
 * Tasks that run on behind the turn, and prompts that it has scheduled: each begins a turn when it
 * is done, or due. Absent where an older version does not say.
 */
function waits(body: Body): { waits?: readonly string[]; scheduled?: boolean } {
  const { background_tasks: tasks, session_crons: crons } = body
  if (!Array.isArray(tasks) && !Array.isArray(crons)) return {}
  const told = (list: unknown, kind: string, keys: readonly string[]): string[] =>
    (Array.isArray(list) ? (list as unknown[]) : []).filter(isObject).map((one) => {
      const words = keys.map((key) => text(one, key)).find((word) => word.trim() !== '')
      return words === undefined ? kind : `${kind}: ${shortened(words)}`
    })
  const wakeUps = told(crons, 'a wake-up it asked for', ['schedule', 'prompt'])
  return {
    waits: [
      ...told(tasks, 'a background task', ['description', 'command', 'agent_type']),
      ...wakeUps,
    ],
    ...(wakeUps.length > 0 && { scheduled: true }),
  }
}

/** A subagent works in the same program, under an id beside the session’s. */
const nesting = (body: Body): { nested?: true } =>
  text(body, 'agent_id') === '' ? {} : { nested: true }

function read(event: string, body: Body): HookFact | null {
  switch (event) {
    case 'SessionStart':
      // After a compaction the session is the same, and no turn begins.
      return body['source'] === 'compact' ? null : { kind: 'session-start', ...session(body) }
    case 'UserPromptSubmit':
      return { kind: 'prompt', prompt: text(body, 'prompt'), ...session(body) }
    case 'PreToolUse':
      return { kind: 'tool-start', tool: text(body, 'tool_name'), ...nesting(body) }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return {
        kind: 'tool-end',
        tool: text(body, 'tool_name'),
        settles: { detail: detail(body['tool_input']) },
        ...nesting(body),
      }
    case 'PermissionRequest':
      // A choice between answers can’t be approved or denied.
      if (body['tool_name'] === 'AskUserQuestion')
        return { kind: 'waiting', reason: question(body['tool_input']) }
      return {
        kind: 'permission',
        tool: text(body, 'tool_name'),
        detail: detail(body['tool_input']),
      }
    case 'Notification':
      return notification(body)
    case 'Stop':
      return {
        kind: 'stop',
        again: body['stop_hook_active'] === true,
        ...waits(body),
        ...session(body),
      }
    case 'StopFailure':
      // The API failed: the turn is over, and Stop is not asked.
      return { kind: 'interrupted' }
    case 'SessionEnd':
      // /clear and /resume go on in the same process.
      return body['reason'] === 'clear' || body['reason'] === 'resume'
        ? null
        : { kind: 'session-end', reason: text(body, 'reason') || 'its session ended' }
    default:
      return null
  }
}

/** Most report what other hooks say as well, or that nobody has typed for a minute. */
function notification(body: Body): HookFact | null {
  const kind = text(body, 'notification_type')
  if (!['permission_prompt', 'worker_permission_prompt', 'elicitation_dialog'].includes(kind))
    return null
  return {
    kind: 'waiting',
    reason: text(body, 'message') || 'it waits for a person in its terminal',
  }
}

function answer(event: string, outcome: HookOutcome): Record<string, unknown> | null {
  switch (outcome.kind) {
    case 'none':
      return null
    case 'context':
      return CARRIERS.has(event) ? context(event, outcome.text) : null
    case 'block':
      if (event !== 'Stop') return null
      // Of a block the model reads the reason twice, and as an error; context at the stop holds it
      // just as well.
      return outcome.reason.length <= CONTEXT_LIMIT
        ? context(event, outcome.reason)
        : { decision: 'block', reason: outcome.reason }
    case 'permission': {
      if (event !== 'PermissionRequest') return null
      const message = outcome.reason ?? 'Denied by the human.'
      return {
        hookSpecificOutput: {
          hookEventName: event,
          decision:
            outcome.decision === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message },
        },
      }
    }
  }
}

const context = (event: string, additionalContext: string): Record<string, unknown> => ({
  hookSpecificOutput: { hookEventName: event, additionalContext },
})

/** Claude Code’s hooks, as of 2.1. */
export const claudeHooks: HookDialect = { read, answer, carries: (event) => CARRIERS.has(event) }
